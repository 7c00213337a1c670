import { layers } from './scripts/test-layers.mjs';

/** What all layers have in common. */
const project = {
  rootDir: import.meta.dirname,
  // `dist` has a copy of every module; looking only here keeps it out of sight.
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testEnvironment: 'node',
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  // Sources import each other as the built files are called. A package's own `.js` comes first, in case it ships both.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1.ts'] },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

export default {
  projects: layers.map(({ name, suffix, timeoutMs }) => ({
    ...project,
    displayName: name,
    testMatch: [`<rootDir>/test/${name}/**/*${suffix}`],
    globals: { testTimeoutMs: timeoutMs },
    setupFilesAfterEnv: ['<rootDir>/scripts/test-timeout.mjs'],
  })),
  reporters: ['default', '<rootDir>/scripts/test-report.mjs'],
};
