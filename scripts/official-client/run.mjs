/**
 * Runs the official client's own tests against the embedded store: `npm run test:official-client -- DIR`, where DIR is a
 * checkout of EventStore/EventStore-Client-NodeJS at the tag of the client that is installed here.
 *
 * Works in a temporary copy, in which only the cluster helper is replaced: DIR is not written to. The client under test is
 * the installed npm package. Succeeds if exactly the tests fail that are known to.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCertificates } from './certificates.mjs';
import { documentedFailures, knownFailures } from './known-failures.mjs';
import { filesWithSurprises, printReport } from './report.mjs';

const suites = ['streams', 'connection', 'extra'];
/** What the tests were written for. */
const tools = ['jest@27.5.1', 'ts-jest@27.1.5', 'typescript@4.9.5'];
const installMs = 5 * 60_000;
const testsMs = 20 * 60_000;
/** The tests mostly wait, but some fail on a machine that is too busy. */
const filesAtATime = 2;

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, '../..');
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

function checkoutOf(argument) {
  if (argument === undefined) throw new Error('usage: npm run test:official-client -- DIR');
  const directory = resolve(argument);
  const clientOf = join(directory, 'packages/db-client/package.json');
  if (!existsSync(clientOf)) throw new Error(`${directory} is no checkout of EventStore-Client-NodeJS`);
  const installed = join(repository, 'node_modules/@eventstore/db-client/package.json');
  // The tag of 6.2.1 still says 6.2.0.
  const [theirs, ours] = [clientOf, installed].map((file) => readJson(file).version.replace(/\.\d+$/, ''));
  if (theirs !== ours) throw new Error(`${directory} is version ${theirs}, the installed client ${ours}`);
  return directory;
}

function checkDocumentation() {
  const file = join(repository, 'docs/official-client-tests.md');
  const documented = documentedFailures(readFileSync(file, 'utf8'));
  const listed = knownFailures.map(({ test, reason }) => `${test}: ${reason}`);
  const differing = [
    ...listed.filter((line) => !documented.includes(line)),
    ...documented.filter((line) => !listed.includes(line)),
  ];
  if (differing.length === 0) return;
  throw new Error(`${file} and known-failures.mjs differ in:\n${differing.join('\n')}`);
}

function copyTests(checkout, workplace) {
  for (const folder of [...suites, 'utils']) {
    cpSync(join(checkout, 'packages/test/src', folder), join(workplace, 'src', folder), { recursive: true });
  }
  cpSync(join(here, 'cluster.ts'), join(workplace, 'src/utils/Cluster.ts'));
}

function installTools(workplace) {
  writeFileSync(join(workplace, 'package.json'), JSON.stringify({ private: true }));
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  const { status } = spawnSync('npm', ['install', ...options, ...tools], {
    cwd: workplace,
    stdio: 'inherit',
    timeout: installMs,
  });
  if (status !== 0) throw new Error(`npm could not install ${tools.join(', ')}`);
}

function makeUsers(directory) {
  const users = [
    { name: 'admin', password: 'changeit', groups: ['$admins'] },
    { name: 'ops', password: 'changeit', groups: ['$ops'] },
  ];
  writeFileSync(join(directory, 'users.json'), JSON.stringify(users), { mode: 0o600 });
}

function configure(workplace) {
  const compilerOptions = { target: 'es2020', module: 'commonjs', esModuleInterop: false };
  const configuration = {
    preset: 'ts-jest',
    testEnvironment: 'node',
    testTimeout: 60_000,
    testMatch: suites.map((suite) => `<rootDir>/src/${suite}/**/*.test.ts`),
    moduleNameMapper: { '^@test-utils$': '<rootDir>/src/utils' },
    globals: { 'ts-jest': { isolatedModules: true, tsconfig: compilerOptions } },
    cacheDirectory: '<rootDir>/cache',
  };
  writeFileSync(join(workplace, 'jest.config.json'), JSON.stringify(configuration));
}

/** Results by file: of all of them, or of those that are named, one at a time. */
async function runJest(workplace, stores, files = []) {
  const report = join(workplace, `report-${files.length}.json`);
  const workers = files.length === 0 ? filesAtATime : 1;
  // Some tests leave connections open, and failed ones their store.
  const options = ['--ci', '--forceExit', '--json', `--outputFile=${report}`, `--maxWorkers=${workers}`];
  const jest = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...options, ...files], {
    cwd: workplace,
    // A group of its own, so that none of its workers and stores is left behind.
    detached: true,
    stdio: 'ignore',
    timeout: testsMs,
    killSignal: 'SIGKILL',
    env: {
      ...process.env,
      // Where the client and what belongs to it are looked for, after the tools of the copy.
      NODE_PATH: join(repository, 'node_modules'),
      OFFICIAL_CLIENT_CLI: join(repository, 'dist/cli/main.js'),
      OFFICIAL_CLIENT_DIRECTORY: stores,
    },
  });
  const end = () => endGroup(jest.pid);
  process.on('exit', end);
  await once(jest, 'exit');
  process.off('exit', end);
  end();
  if (!existsSync(report)) throw new Error('the tests ended without a report');
  return readJson(report).testResults;
}

function endGroup(leader) {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

async function run() {
  const checkout = checkoutOf(process.argv[2]);
  checkDocumentation();
  const workplace = mkdtempSync(join(tmpdir(), 'longshore-official-client-'));
  process.on('exit', () => rmSync(workplace, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  copyTests(checkout, workplace);
  installTools(workplace);
  const stores = join(workplace, 'stores');
  mkdirSync(stores);
  makeCertificates(stores);
  makeUsers(stores);
  configure(workplace);
  console.log(`running ${suites.join(', ')} …`);
  const results = await runJest(workplace, stores);
  const source = join(workplace, 'src');
  const surprising = filesWithSurprises(results, source, knownFailures);
  // Some tests give the store ten seconds, which a busy machine may need for other things.
  if (surprising.length > 0) console.log(`running once more, alone: ${surprising.join(', ')} …`);
  const repeated = surprising.length > 0 ? await runJest(workplace, stores, surprising) : [];
  const latest = results.map((file) => repeated.find(({ name }) => name === file.name) ?? file);
  return printReport(latest, source, suites, knownFailures);
}

try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  console.error(`test:official-client: ${error.message}`);
  process.exitCode = 1;
}
