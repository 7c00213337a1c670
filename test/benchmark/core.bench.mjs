/**
 * How fast the core decides and folds, and how much memory a waiting job takes. No store, no network: rules and indices alone.
 *
 * Plain JavaScript against `dist/`, because Jest's module loader and its transforms would be measured as well. Needs
 * `--expose-gc` for the memory.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    dist: { type: 'string', default: resolve(import.meta.dirname, '../../dist') },
    rounds: { type: 'string', default: '5' },
    cycles: { type: 'string', default: '100000' },
    nodes: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);
const cycleCount = Number(flags.cycles);
const nodeCount = Number(flags.nodes);

const load = async (module) => import(pathToFileURL(`${resolve(flags.dist)}/core/${module}.js`).href);
const { decide } = await load('tracker/decide');
const { evolve } = await load('tracker/evolve');
const { integrate } = await load('tracker/integrate');
const { pumpNext } = await load('tracker/pump');
const { defaultSettings } = await load('tracker/settings');
const { TrackerState } = await load('tracker/state');

const kinds = ['encode', 'train', 'render', 'report'];
const by = { submitter: 'bench', role: 'submitter' };

/** The same sequence in each run. Numerical Recipes' generator: quick, and good enough to mix sizes. */
function seeded(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A leader without a store: every event it decides is folded at once. */
class Leader {
  state = new TrackerState();
  events = [];
  running = [];
  firstRunning = 0;
  submittedCount = 0;
  now = 1_700_000_000_000;
  luck = seeded(1);

  constructor({ keepsEvents = false } = {}) {
    this.keepsEvents = keepsEvents;
    const at = this.now;
    this.fold({ type: 'ClusterCreated', clusterId: 'bench', at });
    this.fold({ type: 'TermStarted', term: 1, leader: 'bench', settings: defaultSettings, at });
  }

  fold(event) {
    evolve(this.state, event);
    if (this.keepsEvents) this.events.push(event);
  }

  join(index) {
    this.tell({
      type: 'NodeSaidHello',
      nodeId: `node-${index}`,
      incarnation: `incarnation-${index}`,
      capacity: 16,
      labels: {},
      kinds,
      attempts: [],
    });
  }

  submit() {
    const { luck, submittedCount } = this;
    this.submittedCount += 1;
    const decision = decide(
      this.state,
      {
        type: 'SubmitJob',
        by,
        jobId: `0191f3a0-7c3e-7000-8000-${String(submittedCount).padStart(12, '0')}`,
        contentHash: `sha256-${String(submittedCount).padStart(43, '0')}`,
        kind: kinds[luck(kinds.length)],
        size: 1 + luck(4),
        priority: luck(3),
        lookup: { at: this.state.revision },
      },
      this.now,
    );
    if (decision.kind !== 'accepted') throw new Error(`a submission was ${decision.kind}`);
    for (const event of decision.events) this.fold(event);
  }

  tell(fact) {
    for (let rest = fact; rest;) {
      const integration = integrate(this.state, rest, this.now);
      for (const event of integration.events) this.fold(event);
      rest = integration.events.length > 0 ? integration.rest : undefined;
    }
  }

  report({ nodeId, jobId, attempt, fencingToken }, report) {
    const incarnation = this.state.nodes.get(nodeId).incarnation;
    this.tell({ type: 'AttemptReported', nodeId, incarnation, jobId, attempt, fencingToken, report });
  }

  /** As a leader does after each input: whatever can be done is done. */
  pump() {
    for (let event = pumpNext(this.state, this.now); event; event = pumpNext(this.state, this.now)) {
      this.fold(event);
      if (event.type !== 'JobPlaced') continue;
      this.report(event, { state: 'running' });
      this.running.push(event);
    }
  }

  /** A job comes; as many end as it takes for the number of waiting ones to be what it was. */
  cycle(waiting) {
    this.now += 1;
    this.submit();
    this.pump();
    while (this.state.waiting.count > waiting) {
      const oldest = this.running[this.firstRunning];
      this.running[this.firstRunning] = undefined;
      this.firstRunning += 1;
      this.report(oldest, { state: 'ended', end: { reason: 'succeeded' } });
      this.pump();
    }
    if (this.now % 1_000 === 0) this.tell({ type: 'TimePassed' });
  }
}

/** All nodes are full, and so many jobs wait. */
function leaderWith(waiting, options) {
  const leader = new Leader(options);
  for (let index = 0; index < nodeCount; index += 1) leader.join(index);
  while (leader.state.waiting.count < waiting) {
    leader.submit();
    leader.pump();
  }
  return leader;
}

const cyclesWith = (waiting) => () => {
  const leader = leaderWith(waiting);
  for (let count = 0; count < cycleCount / 10; count += 1) leader.cycle(waiting);
  const startedAt = performance.now();
  for (let count = 0; count < cycleCount; count += 1) leader.cycle(waiting);
  return (cycleCount / (performance.now() - startedAt)) * 1_000;
};

function eventsFolded() {
  const leader = leaderWith(10_000, { keepsEvents: true });
  for (let count = 0; count < cycleCount; count += 1) leader.cycle(10_000);
  const { events } = leader;
  const state = new TrackerState();
  const startedAt = performance.now();
  for (const event of events) evolve(state, event);
  return (events.length / (performance.now() - startedAt)) * 1_000;
}

function bytesPerWaitingJob() {
  if (!globalThis.gc) throw new Error('start it with --expose-gc');
  const leader = new Leader();
  const jobCount = 100_000;
  for (let count = 0; count < 1_000; count += 1) leader.submit();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < jobCount; count += 1) leader.submit();
  globalThis.gc();
  const bytes = process.memoryUsage().heapUsed - before;
  // Asked for after the measurement, so that the leader is not garbage before it.
  if (leader.state.waiting.count !== jobCount + 1_000) throw new Error('jobs are missing');
  return bytes / jobCount;
}

/** What is measured, by name, and what it must reach. */
const subjects = {
  'cycles, 1,000 waiting': { unit: '/s', measure: cyclesWith(1_000), atLeast: 50_000 },
  'cycles, 10,000 waiting': { unit: '/s', measure: cyclesWith(10_000), atLeast: 50_000 },
  'cycles, 100,000 waiting': { unit: '/s', measure: cyclesWith(100_000), atLeast: 50_000 },
  'events folded': { unit: '/s', measure: eventsFolded, atLeast: 500_000 },
  'memory of a waiting job': { unit: 'bytes', measure: bytesPerWaitingJob, atMost: 1_024 },
};

function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: sorted[Math.ceil(sorted.length / 2) - 1], min: sorted[0], max: sorted.at(-1) };
}

const number = (value) => Math.round(value).toLocaleString('en');

function verdictOf({ atLeast = -Infinity, atMost = Infinity }, { median }) {
  return median >= atLeast && median <= atMost ? 'pass' : 'miss';
}

const chosen = Object.entries(subjects).filter(([name]) => name.includes(flags.only));
const results = Object.fromEntries(chosen.map(([name]) => [name, []]));
for (let round = 1; round <= rounds; round += 1) {
  for (const [name, { measure }] of chosen) results[name].push(measure());
  console.error(`round ${round} of ${rounds}`);
}
const rows = chosen.map(([name, subject]) => {
  const spread = spreadOf(results[name]);
  const { unit, atLeast, atMost } = subject;
  return { name, unit, ...spread, atLeast, atMost, verdict: verdictOf(subject, spread) };
});
const few = results['cycles, 1,000 waiting'];
const many = results['cycles, 100,000 waiting'];
if (few && many) {
  const spread = spreadOf(many.map((value, round) => (100 * value) / few[round]));
  const mark = { atLeast: 50 };
  rows.push({
    name: '100,000 waiting of 1,000',
    unit: '%',
    ...spread,
    ...mark,
    verdict: verdictOf(mark, spread),
  });
}

console.log(
  `${rounds} rounds of ${number(cycleCount)} cycles, ${number(nodeCount)} nodes; median (min-max)\n`,
);
console.log('| | measured | mark | |\n| --- | --- | --- | --- |');
for (const { name, unit, median, min, max, atLeast, atMost, verdict } of rows) {
  const mark = atLeast === undefined ? `at most ${number(atMost)}` : `at least ${number(atLeast)}`;
  console.log(
    `| ${name} (${unit}) | ${number(median)} (${number(min)}-${number(max)}) | ${mark} | ${verdict} |`,
  );
}
if (flags.json) {
  const machine = { node: process.version, processors: availableParallelism() };
  const report = { at: new Date().toISOString(), machine, rounds, cycleCount, nodeCount, rows, results };
  writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
}
