import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Core takes time, ids and luck as arguments, answers at once, and says "no" by a value. */
const inCore = {
  globals: [
    'process',
    'performance',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'queueMicrotask',
    'crypto',
  ],
  properties: [
    { object: 'Date', property: 'now', message: 'The clock is an argument.' },
    { object: 'Math', property: 'random', message: 'Luck is an argument.' },
  ],
  syntax: [
    {
      selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
      message: 'The clock is an argument.',
    },
    { selector: 'CallExpression[callee.name="Date"]', message: 'The clock is an argument.' },
    { selector: ':function[async=true]', message: 'Core is synchronous.' },
    { selector: 'AwaitExpression', message: 'Core is synchronous.' },
  ],
  noThrow: { selector: 'ThrowStatement', message: 'Return a rejection, or call invariant().' },
};

export default defineConfig(
  globalIgnores(['dist/', 'coverage/']),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { allowDefaultCaseForExhaustiveSwitch: false, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Nest's modules are decorated classes without a body.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // These three print as one expects; objects, arrays and undefined do not.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowAny: false, allowNullish: false, allowRegExp: false },
      ],
      // A method that a port declares as asynchronous may have nothing to wait for in one of its implementations.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['src/core/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...inCore.globals],
      'no-restricted-properties': ['error', ...inCore.properties],
      'no-restricted-syntax': ['error', ...inCore.syntax, inCore.noThrow],
    },
  },
  {
    files: ['src/core/invariant.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inCore.syntax] },
  },
  {
    files: ['**/*.mjs', '*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['AbortController', 'Buffer', 'URL', 'console', 'performance', 'process'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
);
