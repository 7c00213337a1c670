/** The folders under `src`, each with its one purpose. A new one begins with a line here and a rule below. */
const folders = [
  'aggregate',
  'cli',
  'client-gateway',
  'client-sdk',
  'commands',
  'config',
  'core',
  'dashboard',
  'dispatch',
  'embedded-store',
  'event-store',
  'facts',
  'graphql',
  'identity',
  'leadership',
  'projections',
  'proto',
  'runtime',
  'telemetry',
  'worker-gateway',
  'worker-sdk',
];
/** Outside the folders there is only the place where ports meet adapters. */
const known = `(${folders.join('|')})/|app\\.module\\.ts$`;

/** `folder` may import itself and `allowed` from `src`, nothing else. */
const mayImport = (folder, allowed, comment) => ({
  name: `${folder.replaceAll('/', '-')}-imports`,
  comment,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
});

/** `folder` may not import any of `forbidden` from `src`. */
const mayNotImport = (folder, forbidden, comment) => ({
  name: `${folder.replaceAll('/', '-')}-never-back`,
  comment,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: `^src/(${forbidden.join('|')})/` },
});

const edges = ['graphql', 'worker-gateway', 'client-gateway', 'cli', 'dashboard', 'client-sdk', 'worker-sdk'];

export default {
  forbidden: [
    { name: 'no-cycles', comment: 'Types count too.', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'known-folders',
      comment: 'No folder without a rule, and no utils, common, helpers, shared or misc.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${known})` },
      to: {},
    },
    {
      name: 'known-folders-only',
      comment: 'The same, for a module that imports nothing.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/(${known})` },
    },
    {
      name: 'src-without-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts|dist)/' },
    },
    {
      name: 'tests-of-sources',
      comment: 'Tests start built programs as processes and threads; what they import is the source.',
      severity: 'error',
      from: { path: '^test/' },
      to: { path: '^dist/' },
    },
    {
      name: 'shipped-dependencies',
      comment: 'What src imports must be installed with the package, by its own name.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        // Types are gone at run time, whatever package they came from.
        dependencyTypesNot: ['type-only'],
        pathNot: '^node_modules/@types/',
      },
    },

    {
      name: 'core-imports',
      comment: 'Pure: not even Node. Temporal, for time zones, is the one exception.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { pathNot: '^src/core/|^node_modules/(temporal-polyfill|@js-temporal/polyfill)/' },
    },
    mayImport('embedded-store', [], 'A store of events in general: it knows nothing of jobs.'),
    mayImport(
      'event-store',
      ['core'],
      'The codec knows our events; nothing here knows who appends them, or why.',
    ),
    {
      name: 'one-store-client',
      comment: 'One adapter; the embedded store borrows the client’s protocol classes.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(event-store|embedded-store)/' },
      to: { path: '^node_modules/@eventstore/' },
    },
    mayImport('proto', [], 'Generated.'),
    mayImport('worker-sdk', ['proto'], 'Others install it: it carries nothing of the server.'),
    mayImport('client-sdk', ['proto'], 'Others install it: it carries nothing of the server.'),
    mayImport('dashboard', [], 'A client of the GraphQL API.'),
    {
      name: 'cli-imports',
      comment:
        'A client of the GraphQL API; cli/local starts what runs on this machine and is the exception.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/local/' },
      to: { path: '^src/', pathNot: '^src/cli/' },
    },

    mayNotImport(
      'aggregate',
      ['commands', 'facts', 'dispatch', 'projections', ...edges],
      'Imports point inward.',
    ),
    mayNotImport(
      'leadership',
      ['commands', 'facts', 'dispatch', 'projections', ...edges],
      'Imports point inward.',
    ),
    mayNotImport('commands', ['facts', 'dispatch', 'projections', ...edges], 'Imports point inward.'),
    mayNotImport('facts', ['commands', 'dispatch', 'projections', ...edges], 'Imports point inward.'),
    mayNotImport('dispatch', ['commands', 'projections', ...edges], 'Imports point inward.'),
    mayNotImport(
      'projections',
      ['commands', 'facts', 'aggregate', 'dispatch', ...edges],
      'Imports point inward.',
    ),
    mayNotImport(
      'config',
      ['aggregate', 'commands', 'facts', 'dispatch', 'projections', ...edges],
      'Read by all.',
    ),
    mayNotImport(
      'runtime',
      ['aggregate', 'commands', 'facts', 'dispatch', 'projections', ...edges],
      'Used by all.',
    ),
    mayNotImport(
      'telemetry',
      ['aggregate', 'commands', 'facts', 'dispatch', 'projections', ...edges],
      'Used by all.',
    ),
    mayNotImport(
      'identity',
      ['aggregate', 'commands', 'facts', 'dispatch', 'projections', ...edges],
      'Used by all.',
    ),
  ],
  options: {
    doNotFollow: { path: '^(node_modules|dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
    reporterOptions: { text: { highlightFocused: true } },
  },
};
