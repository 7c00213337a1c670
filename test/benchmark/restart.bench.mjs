/**
 * How long a restart takes after a crash: from the start of the process to the moment it leads, on a log with 100,000 live jobs, with
 * few finished ones in it and with a million.
 *
 * Plain JavaScript against `dist/`. The logs are made by the rules themselves, with real hashes, and written by the engine
 * directly: through a tracker a million jobs would take an hour.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const load = async (module) => import(new URL(`../../dist/${module}.js`, import.meta.url).href);

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    live: { type: 'string', default: '100000' },
    few: { type: 'string', default: '1000' },
    many: { type: 'string', default: '1000000' },
    tail: { type: 'string' },
    json: { type: 'string' },
    lead: { type: 'string' },
  },
});

/** What is measured: the whole process, as an operator would start it. */
async function leadOnce(directory) {
  const { EmbeddedStore } = await load('embedded-store/embedded-store');
  const { EventStoreClient } = await load('event-store/event-store-client');
  const { Tracker } = await load('aggregate/tracker');
  const { defaultSettings } = await load('core/tracker/settings');
  const { systemRuntime } = await load('runtime/runtime');
  const embedded = await EmbeddedStore.start({ dataDirectory: directory });
  const storeMs = performance.now();
  const store = EventStoreClient.connect({ socketPath: embedded.socketPath });
  const tracker = await Tracker.lead({
    store,
    serverId: 'restarted',
    settings: defaultSettings,
    archive: { find: async () => ({ at: -1 }) },
    quarantine: { keep: async () => undefined },
    runtime: systemRuntime,
    log: ({ message }) => console.error(message),
  });
  const leadMs = performance.now();
  const { jobs, finished, revision } = tracker.state;
  const live = jobs.size - finished.count;
  console.log(JSON.stringify({ storeMs, leadMs, live, finished: finished.count, revision }));
  process.kill(process.pid, 'SIGKILL');
}

async function compare() {
  const liveCount = Number(flags.live);
  const { defaultSnapshotAfterEvents } = await load('aggregate/snapshot-routine');
  // The longest tail there can be: one event less than would have made a snapshot.
  const tailCount = Number(flags.tail ?? defaultSnapshotAfterEvents(liveCount) - 1);
  const root = mkdtempSync(join(tmpdir(), 'longshore-restart-'));
  try {
    const rows = [];
    for (const finishedCount of [Number(flags.few), Number(flags.many)]) {
      const made = join(root, String(finishedCount));
      await makeLog(made, { liveCount, finishedCount, tailCount });
      rows.push({ finishedCount, made, rounds: [] });
    }
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      for (const row of rows) {
        const copy = join(root, 'copy');
        cpSync(row.made, copy, { recursive: true });
        row.rounds.push(await restarted(copy));
        rmSync(copy, { recursive: true });
      }
    }
    report(rows, { liveCount, tailCount });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Jobs that finish and jobs that stay, through the rules; a snapshot; then a tail of the given length. */
async function makeLog(directory, { liveCount, finishedCount, tailCount }) {
  const { DataDirectory } = await load('embedded-store/data-directory');
  const { EmbeddedStore } = await load('embedded-store/embedded-store');
  const { Engine } = await load('embedded-store/engine');
  const { EventStoreClient } = await load('event-store/event-store-client');
  const { Snapshots } = await load('aggregate/snapshots');
  const { systemRuntime } = await load('runtime/runtime');
  const opened = DataDirectory.acquire(directory);
  const onLogFailure = (error) => {
    throw error;
  };
  const engine = new Engine(opened.openLog(), { now: Date.now, onLogFailure });
  const world = await World.begin(engine);
  for (let done = 0; done < finishedCount; done += world.cycle)
    await world.finishSome(Math.min(world.cycle, finishedCount - done));
  for (let done = 0; done < liveCount; done += 1_000)
    await world.submitSome(Math.min(1_000, liveCount - done));
  await world.flush();
  const taken = { state: world.copy(), hash: world.hash };
  // The tail keeps as many jobs live as there were: each of its cycles ends what it began.
  while (world.revision - taken.state.revision < tailCount - 4) await world.finishSome(1);
  await world.flush();
  await engine.close();
  opened.release();
  const embedded = await EmbeddedStore.start({ dataDirectory: directory });
  const store = EventStoreClient.connect({ socketPath: embedded.socketPath });
  const log = ({ message }) => console.error(message);
  await new Snapshots({ store, stream: 'trackersnapshot-0', runtime: systemRuntime, log }).write(taken);
  await store.close();
  await embedded.stop();
}

/** The rules, driven without a tracker: what they decide is encoded, chained and written in large appends. */
class World {
  cycle = 256;
  hash;
  now = Date.UTC(2026, 10, 1);
  #core;
  #engine;
  #state;
  #waiting = [];
  #jobCount = 0;

  static async begin(engine) {
    const world = new World();
    world.#engine = engine;
    world.#core = {
      ...(await load('core/tracker/decide')),
      ...(await load('core/tracker/integrate')),
      ...(await load('core/tracker/evolve')),
      ...(await load('core/tracker/pump')),
      ...(await load('core/tracker/state')),
      ...(await load('core/tracker/copy-of')),
      ...(await load('core/tracker/settings')),
      ...(await load('event-store/event-codec')),
      ...(await load('event-store/hash-chain')),
    };
    const { TrackerState, defaultSettings, firstPreviousHash } = world.#core;
    world.#state = new TrackerState();
    world.hash = firstPreviousHash;
    const at = world.now;
    await world.#take([{ type: 'ClusterCreated', clusterId: 'bench', at }]);
    await world.#take([{ type: 'TermStarted', term: 1, leader: 'bench', settings: defaultSettings, at }]);
    for (let index = 0; index < 4; index += 1) await world.#fact(world.#hello(index));
    return world;
  }

  get revision() {
    return this.#state.revision;
  }

  copy() {
    return this.#core.copyOf(this.#state);
  }

  /** Full cycles: accepted, placed, started, ended. What stays live is larger than any node, so these never wait. */
  async finishSome(count) {
    this.now += 100;
    const ids = await this.#submit(count, 1);
    await this.#place();
    for (const id of ids) {
      const { attempt } = this.#state.jobs.get(id).situation;
      await this.#report(attempt, { state: 'running' });
      await this.#report(attempt, { state: 'ended', end: { reason: 'succeeded', result: { rows: 12_345 } } });
    }
    await this.#fact({ type: 'TimePassed' });
  }

  async submitSome(count) {
    this.now += 100;
    await this.#submit(count, 900);
  }

  async flush() {
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length === 0) return;
    const expectedRevision = this.revision - events.length;
    const outcome = await this.#engine.append({
      stream: 'tracker-0',
      expectedRevision: expectedRevision < 0 ? 'no-stream' : expectedRevision,
      events,
    });
    if (outcome.kind !== 'appended') throw new Error(`the log could not be made: ${outcome.kind}`);
  }

  #hello(index) {
    const nodeId = `node-${index}`;
    const about = {
      nodeId,
      incarnation: `${nodeId}/1`,
      capacity: 800,
      labels: {},
      kinds: ['report', 'archive'],
    };
    return { type: 'NodeSaidHello', ...about, attempts: [] };
  }

  async #submit(count, size) {
    const ids = [];
    for (let index = 0; index < count; index += 1) {
      this.#jobCount += 1;
      const jobId = `report-2026-11-${this.#jobCount}`;
      ids.push(jobId);
      const by = { submitter: 'month-end', role: 'submitter' };
      const kind = size === 1 ? 'report' : 'warehouse';
      const payload = { month: '2026-11', branch: this.#jobCount % 1_000 };
      const lookup = { at: this.revision };
      const command = {
        type: 'SubmitJob',
        by,
        jobId,
        contentHash: randomUUID(),
        kind,
        size,
        priority: 0,
        payload,
        lookup,
      };
      const decision = this.#core.decide(this.#state, command, this.now);
      if (decision.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(decision)}`);
      await this.#take(decision.events);
    }
    return ids;
  }

  async #place() {
    for (;;) {
      const event = this.#core.pumpNext(this.#state, this.now);
      if (!event) return;
      await this.#take([event]);
    }
  }

  async #report({ jobId, number: attempt, nodeId, fencingToken }, report) {
    const of = { nodeId, incarnation: `${nodeId}/1`, jobId, attempt, fencingToken };
    await this.#fact({ type: 'AttemptReported', ...of, report });
  }

  async #fact(fact) {
    const { events, rest } = this.#core.integrate(this.#state, fact, this.now);
    await this.#take(events);
    if (rest) await this.#fact(rest);
  }

  async #take(events) {
    for (const event of events) {
      this.#core.evolve(this.#state, event);
      const context = {
        id: randomUUID(),
        previousHash: this.hash,
        term: this.#state.term.number,
        causationId: 'bench',
      };
      const { stored, hash } = this.#core.encodeEvent(event, context);
      this.hash = hash;
      const bytes = (value) => Buffer.from(JSON.stringify(value));
      this.#waiting.push({
        ...stored,
        isJson: true,
        data: bytes(stored.data),
        metadata: bytes(stored.metadata),
      });
    }
    if (this.#waiting.length >= 1_000) await this.flush();
  }
}

/** One restart, in a process of its own. */
async function restarted(directory) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--lead', directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const text of child.stdout) output += text;
  return JSON.parse(output);
}

function report(rows, { liveCount, tailCount }) {
  const quantile = (values, part) =>
    values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * part)];
  const spread = (values) => ({
    median: quantile(values, 0.5),
    min: Math.min(...values),
    max: Math.max(...values),
  });
  const written = ({ median, min, max }) =>
    `${(median / 1_000).toFixed(2)} (${(min / 1_000).toFixed(2)}-${(max / 1_000).toFixed(2)})`;
  const results = rows.map(({ finishedCount, rounds }) => ({
    finishedCount,
    revision: rounds[0].revision,
    live: rounds[0].live,
    finishedInMemory: rounds[0].finished,
    storeMs: spread(rounds.map(({ storeMs }) => storeMs)),
    leadMs: spread(rounds.map(({ leadMs }) => leadMs)),
  }));
  const [few, many] = results;
  // Pairs of one round, so that a busy moment slows both.
  const ratios = rows[0].rounds.map(({ leadMs }, round) => rows[1].rounds[round].leadMs / leadMs);
  const ratio = spread(ratios);
  console.log(
    `from process start to leading, in seconds: median (lowest-highest) of ${rows[0].rounds.length} restarts after kill -9`,
  );
  console.log(
    `${liveCount} live jobs, ${tailCount} events since the snapshot; node ${process.version}, ${availableParallelism()} cores\n`,
  );
  console.table(
    Object.fromEntries(
      results.map(({ finishedCount, revision, finishedInMemory, storeMs, leadMs }) => [
        `${finishedCount} finished`,
        {
          events: revision + 1,
          'finished in memory': finishedInMemory,
          'store is up': written(storeMs),
          leads: written(leadMs),
        },
      ]),
    ),
  );
  console.log(
    `with ${many.finishedCount} to with ${few.finishedCount}: ${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)})`,
  );
  if (flags.json)
    writeFileSync(
      flags.json,
      JSON.stringify({ node: process.version, liveCount, tailCount, results, ratio }, null, 2),
    );
}

if (flags.lead === undefined) await compare();
else await leadOnce(flags.lead);
