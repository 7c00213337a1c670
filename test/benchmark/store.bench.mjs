/**
 * How fast the embedded store is: its engine alone, and through the official client in a thread and as a process.
 *
 * Plain JavaScript against `dist/`, because Jest's module loader and its transforms would be measured as well.
 */
import { binaryEvent, EventStoreDBClient } from '@eventstore/db-client';
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const dist = (path) => new URL(`../../dist/${path}`, import.meta.url);
const load = async (module) => import(dist(`embedded-store/${module}.js`).href);
const { DataDirectory } = await load('data-directory');
const { EmbeddedStore } = await load('embedded-store');
const { Engine } = await load('engine');
const { followStream } = await load('follow');
const { schema } = await load('log-format');
const { SqliteDatabase } = await load('sqlite');

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    events: { type: 'string', default: '20000' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);
const eventCount = Number(flags.events);

const dataBytes = 200;
const inFlightCount = 64;
const readPageEvents = 500;
const type = 'job-placed.v1';
const empty = new Uint8Array(0);

const columns = {
  inTurn: { title: '1 per append, in turn', unit: 'k/s' },
  inFlight: { title: `1 per append, ${inFlightCount} in flight`, unit: 'k/s' },
  batchesOf100: { title: '100 per append', unit: 'k/s' },
  batchesOf1000: { title: '1000 per append', unit: 'k/s' },
  read: { title: 'read', unit: 'k/s' },
  latencyP50: { title: 'append → subscriber p50', unit: 'ms' },
  latencyP99: { title: 'p99', unit: 'ms' },
};

const marks = [
  { of: 'client → worker_thread', column: 'batchesOf100', to: 'engine, direct', atLeast: 0.17 },
  { of: 'client → worker_thread', column: 'inFlight', to: 'engine, direct', atLeast: 0.07 },
  { of: 'client → worker_thread', column: 'read', to: 'engine, direct', atLeast: 0.15 },
  { of: 'engine, direct', column: 'batchesOf100', to: 'raw SQLite', atLeast: 0.6 },
];

/** What is measured, by name. Each opens on an empty directory; all of them are measured in each round. */
const subjects = {
  'raw SQLite': rawSqlite,
  'engine, direct': engineDirect,
  'client → worker_thread': clientToThread,
  'client → own process': clientToProcess,
};

/** The rows that the engine would write, ready made, in the same transactions: what SQLite leaves room for. */
async function rawSqlite(directory) {
  const database = new SqliteDatabase(join(directory, 'raw.db'));
  database.exec(`
    PRAGMA journal_mode = WAL; ${schema}
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4096; PRAGMA cache_size = -65536;
  `);
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  let position = 0;
  return {
    event: () => {
      const [id, data] = [randomUUID(), randomBytes(dataBytes)];
      return [id, type, 0, Date.now(), crc32(data), data, null];
    },
    append: async (_stream, rows) => {
      database.exec('BEGIN IMMEDIATE');
      for (const row of rows) insert.run(position, 1, position++, ...row);
      database.exec('COMMIT');
    },
    close: async () => database.close(),
  };
}

async function engineDirect(directory) {
  const held = DataDirectory.acquire(directory);
  const onLogFailure = (error) => {
    throw error;
  };
  const engine = new Engine(held.openLog(), { now: Date.now, onLogFailure });
  return {
    event: () => ({
      id: randomUUID(),
      type,
      isJson: false,
      data: randomBytes(dataBytes),
      metadata: empty,
    }),
    append: async (stream, events) => engine.append({ stream, expectedRevision: 'any', events }),
    readPage: async (stream, from) =>
      engine.readStream({ stream, direction: 'forwards', from, maxCount: readPageEvents }).events.length,
    subscribe: async (stream, onEvent) => {
      const stopping = new AbortController();
      const ended = (async () => {
        for await (const item of followStream(engine, stream, 'start', stopping.signal))
          if (item.kind === 'events') item.events.forEach(onEvent);
      })();
      return async () => {
        stopping.abort();
        await ended;
      };
    },
    close: async () => {
      await engine.close();
      held.release();
    },
  };
}

async function clientToThread(directory) {
  const store = await EmbeddedStore.start({ dataDirectory: directory });
  return throughClient(store.socketPath, async () => store.stop());
}

async function clientToProcess(directory) {
  const main = fileURLToPath(dist('cli/main.js'));
  const store = spawn(process.execPath, [main, 'store', '--data', directory, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(store, 'exit');
  await once(createInterface(store.stdout), 'line');
  return throughClient(join(directory, 'store.sock'), async () => {
    store.kill('SIGTERM');
    await ended;
  });
}

/** One client at a time: those of one thread share what they have in flight. */
function throughClient(socketPath, stop) {
  const client = new EventStoreDBClient({ endpoint: `unix:${socketPath}` }, { insecure: true });
  return {
    event: () => binaryEvent({ id: randomUUID(), type, data: randomBytes(dataBytes) }),
    append: async (stream, events) => client.appendToStream(stream, events, { expectedRevision: 'any' }),
    readPage: async (stream, from) => {
      const options = { fromRevision: BigInt(from), maxCount: readPageEvents };
      let count = 0;
      const page = client.readStream(stream, options).on('data', () => (count += 1));
      await once(page, 'end');
      return count;
    },
    subscribe: async (stream, onEvent) => {
      const subscription = client.subscribeToStream(stream).on('data', onEvent);
      await once(subscription, 'confirmation');
      return async () => subscription.unsubscribe();
    },
    close: async () => {
      await client.dispose();
      await stop();
    },
  };
}

/** All columns of one subject. `share` of the events: less of them warms everything up. */
async function measure(subject, share) {
  const count = (events) => Math.max(100, Math.ceil((events * share) / 1_000) * 1_000);
  const result = {};
  if (subject.readPage) {
    result.inTurn = await appends(subject, count(eventCount / 20), 1, 1);
    result.inFlight = await appends(subject, count(eventCount / 2), 1, inFlightCount);
  }
  result.batchesOf100 = await appends(subject, count(eventCount), 100, 1);
  if (!subject.readPage) return result;
  result.batchesOf1000 = await appends(subject, count(eventCount), 1_000, 1, 'to-read');
  result.read = await read(subject, 'to-read');
  return { ...result, ...(await latency(subject, Math.ceil(500 * share))) };
}

/** Thousands of events per second. */
async function appends(subject, events, perAppend, inFlight, stream = randomUUID()) {
  const batches = Array.from({ length: events / perAppend }, () =>
    Array.from({ length: perAppend }, () => subject.event()),
  );
  const startedAt = performance.now();
  let next = 0;
  const appendInTurn = async () => {
    while (next < batches.length) await subject.append(stream, batches[next++]);
  };
  await Promise.all(Array.from({ length: inFlight }, appendInTurn));
  return events / (performance.now() - startedAt);
}

async function read(subject, stream) {
  const startedAt = performance.now();
  let events = 0;
  for (let page = 1; page > 0; events += page) page = await subject.readPage(stream, events);
  return events / (performance.now() - startedAt);
}

/** From the call of append to the event's arrival at a live subscriber, in milliseconds. */
async function latency(subject, samples) {
  const stream = randomUUID();
  let arrived = () => undefined;
  await subject.append(stream, [subject.event()]);
  const first = new Promise((resolve) => (arrived = resolve));
  const unsubscribe = await subject.subscribe(stream, () => arrived());
  await first;
  const took = [];
  for (let sample = 0; sample < samples; sample++) {
    const startedAt = performance.now();
    const arrival = new Promise((resolve) => (arrived = () => resolve(performance.now())));
    await subject.append(stream, [subject.event()]);
    took.push((await arrival) - startedAt);
  }
  await unsubscribe();
  took.sort((a, b) => a - b);
  return { latencyP50: quantile(took, 0.5), latencyP99: quantile(took, 0.99) };
}

async function measureOnce(open) {
  const directory = mkdtempSync(join(tmpdir(), 'longshore-bench-'));
  try {
    const subject = await open(directory);
    await measure(subject, 0.1);
    const result = await measure(subject, 1);
    await subject.close();
    return result;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The sample at that part of the sorted list; of an even number in the middle, the lower one. */
const quantile = (sorted, part) => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];

function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0], max: sorted.at(-1) };
}

/** Of what was measured in the same round, so that a slow moment of the machine is in both. */
function ratioOf(results, name, column, to) {
  const pairs = results.map((round) => [round[name]?.[column], round[to]?.[column]]);
  const ratios = pairs.filter((pair) => !pair.includes(undefined)).map(([value, base]) => value / base);
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function rowOf(results, name) {
  const measured = Object.keys(columns).filter((column) => results[0][name][column] !== undefined);
  const cells = measured.map((column) => {
    const ratio = ratioOf(results, name, column, 'engine, direct');
    return [column, { ...spreadOf(results.map((round) => round[name][column])), ratio }];
  });
  return [name, Object.fromEntries(cells)];
}

const number = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
const spread = ({ median, min, max }) => `${number(median)} (${number(min)}-${number(max)})`;

function table(rows) {
  const titles = Object.values(columns).map(({ title, unit }) => `${title} (${unit})`);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rowsOf = ([name, cells]) =>
    [
      [name, (cell) => spread(cell)],
      ['ratio to the engine', (cell) => (cell.ratio ? spread(cell.ratio) : '')],
    ].map(([title, textOf]) =>
      line([title, ...Object.keys(columns).map((column) => (cells[column] ? textOf(cells[column]) : ''))]),
    );
  return [line(['', ...titles]), line(['---', ...titles.map(() => '---')]), ...rows.flatMap(rowsOf)].join(
    '\n',
  );
}

function judged(results) {
  return marks.flatMap(({ of, column, to, atLeast }) => {
    const ratio = ratioOf(results, of, column, to);
    if (!ratio) return [];
    const verdict = ratio.median >= atLeast ? 'pass' : 'miss';
    return [{ mark: `${of}, ${columns[column].title}: at least ${atLeast} of ${to}`, ratio, verdict }];
  });
}

const chosen = Object.entries(subjects).filter(([name]) => name.includes(flags.only ?? ''));
const results = [];
for (let round = 1; round <= rounds; round++) {
  const result = {};
  for (const [name, open] of chosen) result[name] = await measureOnce(open);
  results.push(result);
  console.error(`round ${round} of ${rounds}`);
}
const rows = chosen.map(([name]) => rowOf(results, name));
const verdicts = judged(results);
console.log(`${rounds} rounds, ${eventCount} events of ${dataBytes} bytes (binary); median (min-max)\n`);
console.log(table(rows));
console.log(
  verdicts.map(({ mark, ratio, verdict }) => `\n${verdict}  ${number(ratio.median)}  ${mark}`).join(''),
);
if (flags.json) {
  const machine = { node: process.version, processors: availableParallelism() };
  const report = {
    at: new Date().toISOString(),
    machine,
    rounds,
    eventCount,
    dataBytes,
    rows: Object.fromEntries(rows),
    verdicts,
    results,
  };
  writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
}
