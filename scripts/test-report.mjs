import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the counts of a Jest run to a file of its own in `LONGSHORE_TEST_REPORT_DIR`, and nothing if that is not set.
 * A reporter rather than `--outputFile`, so that runs behind npm scripts are counted without passing arguments through.
 */
export default class TestReport {
  onRunComplete(_contexts, results) {
    const directory = process.env.LONGSHORE_TEST_REPORT_DIR;
    if (!directory) return;
    const files = results.testResults.map((file) => ({
      file: file.testFilePath,
      passed: file.numPassingTests,
      // A file that could not be loaded has no tests, but it has failed.
      failed: file.numFailingTests + (file.testExecError && file.numFailingTests === 0 ? 1 : 0),
      skipped: file.numPendingTests + file.numTodoTests,
    }));
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${randomUUID()}.json`), JSON.stringify({ files }));
  }
}
