import { layers } from './scripts/test-layers.mjs';

export default {
  entry: [
    'src/cli/main.ts!',
    ...layers.map(({ name, suffix }) => `test/${name}/**/*${suffix}`),
    'test/benchmark/**/*.bench.ts',
    'scripts/sum-test-reports.mjs',
    'scripts/test-node-versions.mjs',
    // Started as a thread.
    'src/embedded-store/store-thread.ts!',
    // Named in jest.config.mjs.
    'scripts/test-timeout.mjs',
    'scripts/test-report.mjs',
  ],
  project: ['src/**/*.ts!', 'test/**/*.ts', 'scripts/**/*.mjs'],
  // The plugin takes every *.spec.ts for a test, also those that no layer runs. Without it knip does not see what
  // jest.config.mjs transforms with.
  jest: false,
  ignoreDependencies: ['@swc/jest', '@swc/core'],
  ignoreBinaries: ['openssl', 'strace'],
  // A type that a signature in the same file names is exported for whoever writes that signature's callers.
  ignoreExportsUsedInFile: { interface: true, type: true },
};
