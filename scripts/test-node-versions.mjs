/**
 * Runs the component and contract tests on each version of Node.js that is supported: `npm run test:node-versions`,
 * or `-- 22 26` for some of them. The runtimes come as npm packages and go into a temporary directory.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** The oldest that is supported, and the newest of each line after it. */
const supported = ['20.19.0', '22', '24', '26'];
const testsMs = 10 * 60_000;
const installMs = 5 * 60_000;

const versions = process.argv.length > 2 ? process.argv.slice(2) : supported;
const directory = mkdtempSync(join(tmpdir(), 'longshore-node-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

function run(command, parameters, options) {
  const { status, error } = spawnSync(command, parameters, { stdio: 'inherit', ...options });
  if (error) console.error(`${command}: ${error.message}`);
  return status === 0;
}

/** Installs a runtime and returns the path of its executable. */
function runtime(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(directory, version);
  const parameters = [
    'install',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--silent',
  ];
  return run('npm', [...parameters, `${name}@${version}`], { timeout: installMs, cwd: directory })
    ? join(prefix, 'node_modules', name, 'bin', 'node')
    : undefined;
}

function test(node) {
  // Children that tests start by name find this runtime as well.
  const environment = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const jest = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
  ];
  const layers = ['--selectProjects', 'component', 'contract'];
  return (
    run(node, ['--version'], {}) && run(node, [...jest, ...layers], { timeout: testsMs, env: environment })
  );
}

const failed = versions.filter((version) => {
  console.log(`\n=== Node.js ${version}`);
  const node = runtime(version);
  return node === undefined || !test(node);
});
console.log(failed.length === 0 ? `\npassed on ${versions.join(', ')}` : `\nfailed on ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
