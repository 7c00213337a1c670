import { relative, sep } from 'node:path';

/** Prints what passed and failed by suite. True if exactly the tests failed that are known to. */
export function printReport(testResults, source, suites, known) {
  const executed = testResults.flatMap((file) => testsOf(file, source));
  const failed = executed.filter(hasFailed);
  const expected = known.map(({ test }) => test);
  console.table(Object.fromEntries(suites.map((suite) => [suite, countsOf(executed, suite)])));
  const unexpected = failed.filter(({ name }) => !expected.includes(name));
  const passing = expected.filter((test) => !failed.some(({ name }) => name === test));
  for (const { name, reason } of unexpected) console.log(`Failed, and is not known to: ${name}\n${reason}\n`);
  for (const name of passing) console.log(`Known to fail, and did not: ${name}\n`);
  console.log(
    `${executed.length - failed.length} passed, ${failed.length} failed (${known.length} known to fail) of ${executed.length}`,
  );
  return unexpected.length === 0 && passing.length === 0;
}

/** Files with a test that failed and is not known to, or the other way round. */
export function filesWithSurprises(testResults, source, known) {
  const isKnown = ({ name }) => known.some(({ test }) => test === name);
  const tests = testResults.flatMap((file) => testsOf(file, source));
  const surprises = tests.filter((test) => hasFailed(test) !== isKnown(test));
  return [...new Set(surprises.map(({ file }) => file))];
}

const hasFailed = ({ reason }) => reason !== undefined;

/** A file that could not be loaded counts as one failed test. */
function testsOf({ name, status, message, assertionResults }, source) {
  const file = relative(source, name).split(sep).join('/');
  if (status === 'failed' && assertionResults.length === 0) {
    return [{ name: file, file, suite: suiteOf(file), reason: beginningOf(message) }];
  }
  return assertionResults
    .filter((test) => test.status === 'passed' || test.status === 'failed')
    .map((test) => ({
      name: `${file} › ${[...test.ancestorTitles, test.title].join(' › ')}`,
      file,
      suite: suiteOf(file),
      reason: test.status === 'failed' ? beginningOf(test.failureMessages.join('\n')) : undefined,
    }));
}

const beginningOf = (message) => message.split('\n').slice(0, 12).join('\n');

const suiteOf = (file) => file.split('/')[0];

function countsOf(tests, suite) {
  const ofSuite = tests.filter((test) => test.suite === suite);
  const failed = ofSuite.filter(hasFailed).length;
  return { passed: ofSuite.length - failed, failed };
}
