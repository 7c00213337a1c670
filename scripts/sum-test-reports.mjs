/**
 * Prints `PASSED FAILED SKIPPED` of all reports under the given directories (see `test-report.mjs`).
 *
 * A test file that ran more than once, as the fast ones do in `check` and in `test`, counts once: by its worst run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const reports = process.argv
  .slice(2)
  .filter((directory) => existsSync(directory))
  .flatMap((directory) =>
    readdirSync(directory, { recursive: true })
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8'))),
  );

const worstRuns = new Map();
for (const run of reports.flatMap((report) => report.files)) {
  const known = worstRuns.get(run.file);
  if (!known || run.failed > known.failed) worstRuns.set(run.file, run);
}

const sum = (count) => [...worstRuns.values()].reduce((total, run) => total + run[count], 0);
console.log(sum('passed'), sum('failed'), sum('skipped'));
