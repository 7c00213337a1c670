/**
 * The layers of tests: `test/<name>/`, and what their files are called. A misnamed file would not run, so knip, which
 * reads the same list, reports it as unused.
 *
 * The time one test may take is a bound against hanging, not a measure: it leaves room for a slow disk and a busy machine.
 */
export const layers = [
  { name: 'core', suffix: '.spec.ts', timeoutMs: 5_000 },
  { name: 'properties', suffix: '.property.spec.ts', timeoutMs: 60_000 },
  { name: 'component', suffix: '.component.spec.ts', timeoutMs: 30_000 },
  { name: 'simulation', suffix: '.sim.spec.ts', timeoutMs: 120_000 },
  { name: 'contract', suffix: '.contract.spec.ts', timeoutMs: 60_000 },
  { name: 'e2e', suffix: '.e2e-spec.ts', timeoutMs: 120_000 },
  { name: 'browser', suffix: '.browser.spec.ts', timeoutMs: 120_000 },
];
