/**
 * How fast the tracker accepts jobs on the embedded store, and how long a caller waits for the durable answer.
 *
 * Plain JavaScript against `dist/`, because Jest's module loader and its transforms would be measured as well.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const load = async (module) => import(new URL(`../../dist/${module}.js`, import.meta.url).href);
const { EmbeddedStore } = await load('embedded-store/embedded-store');
const { EventStoreClient } = await load('event-store/event-store-client');
const { Tracker } = await load('aggregate/tracker');
const { defaultSettings } = await load('core/tracker/settings');
const { systemRuntime } = await load('runtime/runtime');

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '20000' },
    json: { type: 'string' },
  },
});
const roundCount = Number(flags.rounds);
const jobCount = Number(flags.jobs);

const inFlightCount = 64;
const bulkCount = 1_000;
const by = { submitter: 'month-end', role: 'submitter' };
const payload = { report: 'balance', month: '2026-11', pages: [1, 2, 3, 4, 5, 6, 7, 8] };

/** Nothing is ever forgotten in a run so short. */
const archive = { find: async () => ({ at: Number.MAX_SAFE_INTEGER }) };
const quarantine = {
  keep: async (input) => {
    throw new Error(`${input.id} was quarantined: ${input.error.message}`);
  },
};

const subjects = {
  'one after the other': async (submit) => oneAfterTheOther(submit, Math.min(jobCount, 2_000)),
  [`singly, ${inFlightCount} in flight`]: inFlight,
  [`bulks of ${bulkCount}`]: inBulks,
};

async function oneAfterTheOther(submit, count) {
  const waits = [];
  for (let index = 0; index < count; index += 1) waits.push(await timed(submit));
  return { jobs: count, waits };
}

async function inFlight(submit) {
  const waits = [];
  let next = 0;
  const caller = async () => {
    while (next < jobCount) {
      next += 1;
      waits.push(await timed(submit));
    }
  };
  await Promise.all(Array.from({ length: inFlightCount }, caller));
  return { jobs: jobCount, waits };
}

async function inBulks(submit) {
  const waits = [];
  for (let sent = 0; sent < jobCount; sent += bulkCount) {
    waits.push(await timed(() => Promise.all(Array.from({ length: bulkCount }, submit))));
  }
  return { jobs: jobCount, waits };
}

async function timed(action) {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

async function run(measure) {
  const directory = mkdtempSync(join(tmpdir(), 'longshore-bench-'));
  const embedded = await EmbeddedStore.start({ dataDirectory: directory });
  const store = EventStoreClient.connect({ socketPath: embedded.socketPath });
  try {
    const tracker = await Tracker.lead({
      store,
      serverId: 'bench',
      settings: defaultSettings,
      archive,
      quarantine,
      runtime: systemRuntime,
      log: ({ message }) => console.error(message),
    });
    const submit = async () => {
      const jobId = randomUUID();
      const command = {
        type: 'SubmitJob',
        by,
        jobId,
        contentHash: jobId,
        kind: 'report',
        size: 3,
        priority: 0,
        payload,
      };
      const reply = await tracker.decide(command, { id: randomUUID(), timeoutMs: 60_000 });
      if (reply.kind !== 'accepted') throw new Error(`a job was not accepted: ${JSON.stringify(reply)}`);
    };
    for (let index = 0; index < 500; index += 1) await submit();
    const began = performance.now();
    const { jobs, waits } = await measure(submit);
    const seconds = (performance.now() - began) / 1_000;
    await tracker.resign();
    return { perSecond: jobs / seconds, p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99) };
  } finally {
    await store.close();
    await embedded.stop();
    rmSync(directory, { recursive: true });
  }
}

function quantile(values, part) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

const spread = (values) => ({
  median: quantile(values, 0.5),
  min: Math.min(...values),
  max: Math.max(...values),
});
const written = ({ median, min, max }, digits) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;

const rounds = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
for (let round = 0; round < roundCount; round += 1) {
  for (const [name, measure] of Object.entries(subjects)) rounds[name].push(await run(measure));
}

const results = Object.entries(rounds).map(([name, of]) => ({
  name,
  perSecond: spread(of.map(({ perSecond }) => perSecond)),
  p50Ms: spread(of.map(({ p50Ms }) => p50Ms)),
  p99Ms: spread(of.map(({ p99Ms }) => p99Ms)),
}));

console.log(
  `accepted submits on the embedded store in a thread; ${roundCount} rounds, median (lowest-highest)`,
);
console.log(`node ${process.version}, ${availableParallelism()} cores\n`);
console.table(
  Object.fromEntries(
    results.map(({ name, perSecond, p50Ms, p99Ms }) => [
      name,
      { 'jobs/s': written(perSecond, 0), 'p50, ms': written(p50Ms, 2), 'p99, ms': written(p99Ms, 2) },
    ]),
  ),
);
if (flags.json) {
  writeFileSync(
    flags.json,
    JSON.stringify({ node: process.version, roundCount, jobCount, results }, null, 2),
  );
}
