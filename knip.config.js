import { layers } from './scripts/test-layers.mjs';

export default {
  entry: [
    'src/cli/main.ts!',
    ...layers.map(({ name, suffix }) => `test/${name}/**/*${suffix}`),
    'test/benchmark/**/*.bench.ts',
    'scripts/sum-test-reports.mjs',
  ],
  project: ['src/**/*.ts!', 'test/**/*.ts', 'scripts/**/*.mjs'],
  // A type that a signature in the same file names is exported for whoever writes that signature's callers.
  ignoreExportsUsedInFile: { interface: true, type: true },
};
