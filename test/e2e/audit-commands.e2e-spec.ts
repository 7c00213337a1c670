import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Event } from '../../src/core/tracker/event.js';
import { defaultSettings } from '../../src/core/tracker/settings.js';
import { canonicalJson } from '../../src/event-store/canonical-json.js';
import { encodeEvent } from '../../src/event-store/event-codec.js';
import { EventStoreClient } from '../../src/event-store/event-store-client.js';
import type { JsonValue, NewEvent } from '../../src/event-store/event-store.js';
import { firstPreviousHash } from '../../src/event-store/hash-chain.js';
import { LongshoreProcess } from '../kit/longshore-process.js';
import { StoreProcess, type ProcessEnd } from '../kit/store-process.js';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';

afterEach(() => StoreProcess.endAll());

const begin = Date.parse('2026-01-01T00:00:00Z');
const node = { incarnation: 'start-1', labels: { zone: 'north' }, kinds: ['report'] };
const job = { submitter: 'ann', contentHash: 'x', kind: 'report' };
const reason = { rule: 'least-loaded', load: 0, capacity: 10, candidateCount: 2 };

/** A short history, one event a second: a job is done, one is in doubt on a lost node, two wait. */
const history = (
  [
    { type: 'ClusterCreated', clusterId: 'north' },
    { type: 'TermStarted', term: 1, leader: 'server-1', settings: { ...defaultSettings, graceMs: 0 } },
    { type: 'NodeJoined', nodeId: 'node-b', capacity: 5, ...node },
    { type: 'NodeJoined', nodeId: 'node-a', capacity: 10, ...node },
    { type: 'JobAccepted', jobId: 'job-1', size: 3, priority: 0, ...job },
    { type: 'JobPlaced', jobId: 'job-1', nodeId: 'node-a', attempt: 1, fencingToken: 1, reason },
    { type: 'AttemptStarted', jobId: 'job-1', attempt: 1 },
    {
      type: 'JobAccepted',
      jobId: 'job-2',
      size: 4,
      priority: 0,
      ...job,
      payload: { month: '2026-01', rate: 0.1 },
    },
    { type: 'JobPlaced', jobId: 'job-2', nodeId: 'node-b', attempt: 1, fencingToken: 2, reason },
    { type: 'AttemptStarted', jobId: 'job-2', attempt: 1 },
    { type: 'AttemptEnded', jobId: 'job-1', attempt: 1, end: { reason: 'succeeded' }, then: 'completed' },
    { type: 'JobAccepted', jobId: 'job-3', size: 9, priority: 0, ...job },
    { type: 'JobAccepted', jobId: 'job-4', size: 9, priority: 3, ...job },
    { type: 'NodeLost', nodeId: 'node-b' },
  ] as unknown as Event[]
).map((event, second) => ({ ...event, at: begin + second * 1_000 }));
const head = history.length - 1;

/** The events as they are stored, chained. */
const chained = (events: readonly Event[]): NewEvent[] => {
  let previousHash = firstPreviousHash;
  return events.map((event) => {
    const origin = { id: randomUUID(), previousHash, term: 1, causationId: 'clock' };
    const { stored, hash } = encodeEvent(event, origin);
    previousHash = hash;
    return stored;
  });
};

const urlOf = ({ port }: StoreProcess): string => `esdb://127.0.0.1:${port}?tls=false`;

const append = async (store: StoreProcess, events: readonly NewEvent[]): Promise<void> => {
  const client = EventStoreClient.connect(urlOf(store));
  try {
    // In appends that the store takes.
    for (let from = 0; from < events.length; from += 1_000) {
      await client.append('tracker-0', events.slice(from, from + 1_000), { expectedRevision: 'any' });
    }
  } finally {
    await client.close();
  }
};

/** A running store with the events in a directory of its own. */
const withLog = (
  events: readonly NewEvent[],
  test: (log: { readonly store: StoreProcess; readonly url: string; readonly path: string }) => Promise<void>,
): Promise<void> =>
  withTemporaryDirectory(async (path) => {
    const store = await StoreProcess.start(path);
    if (events.length > 0) await append(store, events);
    await test({ store, url: urlOf(store), path });
    await store.end('SIGTERM');
  });

const run = (...words: readonly string[]): Promise<ProcessEnd> => LongshoreProcess.run(words);
const linesOf = ({ output }: ProcessEnd): string[] => output.split('\n').slice(0, -1);

const expectSuccess = (end: ProcessEnd): ProcessEnd => {
  expect(end).toMatchObject({ exitCode: 0, signal: null, errors: '' });
  return end;
};

/** One line for a person, nothing else, and the exit status that a script sees. */
const expectRefusal = (end: ProcessEnd, ...parts: readonly (string | RegExp)[]): void => {
  expect(end).toMatchObject({ exitCode: 1, signal: null, output: '' });
  expect(end.errors).toMatch(/^(longshore (events|replay)|error): [^\n]+\n$/);
  for (const part of parts) expect(end.errors).toMatch(part);
};

describe('longshore events', () => {
  it('prints a line for each event', async () => {
    await withLog(chained(history), async ({ url }) => {
      const lines = linesOf(expectSuccess(await run('events', '--store', url)));
      expect(lines).toHaveLength(history.length);
      expect(lines[0]).toBe('0  2026-01-01T00:00:00.000Z  cluster-created.v1  north');
      expect(lines[8]).toBe(
        '8  2026-01-01T00:00:08.000Z  job-placed.v1  job-2  on node-b, attempt 1, least-loaded, 0 of 10 taken before',
      );
      expect(lines[10]).toBe(
        '10  2026-01-01T00:00:10.000Z  attempt-ended.v1  job-1  attempt 1 succeeded, the job is completed',
      );
    });
  });

  it('prints the stored events as JSON lines, from which anybody can compute the chain', async () => {
    const stored = chained(history);
    await withLog(stored, async ({ url }) => {
      const { output } = expectSuccess(
        await LongshoreProcess.run(['events', '--json'], { LONGSHORE_STORE: url }),
      );
      const events = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, JsonValue>);
      expect(events).toEqual(
        stored.map(({ type: name, data, metadata }, revision) => ({ revision, name, data, metadata })),
      );
      let previous = firstPreviousHash;
      for (const { name, data, metadata } of events) {
        const { hash, ...hashed } = metadata as Record<string, JsonValue>;
        const text = canonicalJson([previous, name ?? null, data ?? null, hashed]);
        previous = createHash('sha256').update(text).digest('hex');
        expect(hash).toBe(previous);
      }
    });
  });

  it('begins at a revision, and keeps to a job', async () => {
    await withLog(chained(history), async ({ url }) => {
      const revisions = async (...flags: readonly string[]) =>
        linesOf(expectSuccess(await run('events', '--store', url, ...flags))).map((line) =>
          Number.parseInt(line),
        );
      expect(await revisions('--from', '11')).toEqual([11, 12, 13]);
      expect(await revisions('--from', String(head))).toEqual([head]);
      expect(await revisions('--job', 'job-2')).toEqual([7, 8, 9]);
      expect(await revisions('--job', 'job-2', '--from', '9', '--json')).toHaveLength(1);
      // What happened to its node is not of the job, nor what is about something else of the same name.
      expectRefusal(
        await run('events', '--store', url, '--job', 'node-b'),
        'there is no event of job "node-b"',
      );
      expectRefusal(
        await run('events', '--store', url, '--job', 'job-1', '--from', '11'),
        'from revision 11 on',
      );
      expectRefusal(await run('events', '--store', url, '--from', '14'), 'no revision 14: the newest is 13');
    });
  });

  it('goes on with what is appended, until it is interrupted', async () => {
    const stored = chained(history);
    await withLog(stored.slice(0, 2), async ({ store, url }) => {
      const following = new LongshoreProcess(['events', '--store', url, '--follow', '--from', '1']);
      expect(await following.line()).toMatch(/^1 .* term-started\.v1 /);
      for (const event of stored.slice(2, 5)) {
        await append(store, [event]);
        expect(await following.line()).toContain(event.type);
      }
      following.interrupt();
      expect(await following.ended).toMatchObject({ exitCode: 0, signal: null, errors: '' });
    });
  });

  it('waits for the first event of an empty log', async () => {
    await withLog([], async ({ store, url }) => {
      expect(expectSuccess(await run('events', '--store', url)).output).toBe('');
      const following = new LongshoreProcess(['events', '--store', url, '--follow']);
      const line = following.line();
      await append(store, chained(history).slice(0, 1));
      expect(await line).toMatch(/^0 .* cluster-created\.v1 /);
      following.interrupt();
      expect(await following.ended).toMatchObject({ exitCode: 0, errors: '' });
    });
  });

  it('ends quietly when nobody reads any more', async () => {
    const long = Array.from({ length: 4_000 }, (_, index) => ({
      ...(history[2] as Event),
      at: begin + index,
    }));
    await withLog(chained(long), async ({ url, path, store }) => {
      const piped = new LongshoreProcess(['events', '--store', url, '--json']);
      await piped.line();
      piped.hangUp();
      expect(await piped.ended).toMatchObject({ exitCode: 0, signal: null, errors: '' });
      await store.end('SIGTERM');
      const embedded = new LongshoreProcess(['events', '--data', path]);
      await embedded.line();
      embedded.hangUp();
      expect(await embedded.ended).toMatchObject({ exitCode: 0, signal: null, errors: '' });
    });
  });

  it('reports each broken link, and prints what stands there', async () => {
    const stored = chained(history);
    const changed = { ...(stored[4] as NewEvent), data: { ...(stored[4]?.data as object), size: 4 } };
    await withLog(stored.with(4, changed), async ({ url }) => {
      const end = await run('events', '--store', url);
      expect(end).toMatchObject({ exitCode: 1, signal: null });
      expect(linesOf(end)).toHaveLength(history.length);
      expect(end.errors).toMatch(
        /^longshore events: the hash chain is broken at revision 4: expected [\da-f]{64}, found [\da-f]{64}; [^\n]*\n$/,
      );
      expect(await run('events', '--store', url, '--from', '4')).toMatchObject({ exitCode: 1 });
      expectSuccess(await run('events', '--store', url, '--from', '5'));
      expectRefusal(await run('replay', '--store', url), 'broken at revision 4');
      expectSuccess(await run('replay', '--store', url, '--at', '3'));
    });
    await withLog(stored.toSpliced(3, 1), async ({ url }) => {
      expect((await run('events', '--store', url)).errors).toMatch(/^[^\n]*broken at revision 3[^\n]*\n$/);
    });
  });

  it('prints what it does not know, says so, and folds nothing of it', async () => {
    const metadata = { $correlationId: 'job-1', $causationId: 'clock', term: 1, hash: 'f'.repeat(64) };
    const unknown = { id: randomUUID(), type: 'job-exploded.v1', data: { at: begin }, metadata };
    await withLog([...chained(history), unknown], async ({ url }) => {
      const end = await run('events', '--store', url);
      expect(end).toMatchObject({ exitCode: 1 });
      expect(linesOf(end).at(-1)).toMatch(/^14 .* job-exploded\.v1 {2}\?$/);
      expect(end.errors).toMatch(
        /revision 14 is "job-exploded\.v1", which this version of Longshore does not know/,
      );
      expect((await run('replay', '--store', url)).exitCode).toBe(1);
    });
  });

  it('shows the text of others without what would move the cursor', async () => {
    const tricky = {
      ...history[4],
      jobId: 'job-1',
      kind: '\u001b[2J\u202egnp.exe',
      at: begin + 4_000,
    } as Event;
    await withLog(chained([...history.slice(0, 4), tricky]), async ({ url }) => {
      const { output } = expectSuccess(await run('events', '--store', url));
      expect(output).toContain(String.raw`\u{1b}[2J\u{202e}gnp.exe, size 3`);
    });
  });
});

describe('where the events are', () => {
  it('may be the directory of a store that is not running, which is left as it was', async () => {
    await withLog(chained(history), async ({ store, path }) => {
      await store.end('SIGTERM');
      const files = await readdir(path);
      expect(linesOf(expectSuccess(await run('events', '--data', path)))).toHaveLength(history.length);
      expectSuccess(await run('replay', '--data', path));
      expect(await readdir(path)).toEqual(files);
    });
  });

  it('may be the directory of a store that is running', async () => {
    await withLog(chained(history), async ({ path }) => {
      // What was typed counts more than the environment.
      const elsewhere = { LONGSHORE_STORE: 'esdb://127.0.0.1:1?tls=false' };
      const end = await LongshoreProcess.run(['events', '--data', path], elsewhere);
      expect(linesOf(expectSuccess(end))).toHaveLength(history.length);
    });
  });

  it('cannot be a directory that somebody holds without listening there', async () => {
    await withLog(chained(history), async ({ path, store }) => {
      await rm(join(path, 'store.sock'));
      const end = await run('events', '--data', path);
      expectRefusal(end, `in use by process ${store.processId}`, 'name its address with --store');
    });
  });

  it('cannot be a directory without a store, and none is made', async () => {
    await withTemporaryDirectory(async (path) => {
      const empty = join(path, 'empty');
      await mkdir(empty);
      for (const command of ['events', 'replay']) {
        expectRefusal(
          await run(command, '--data', empty),
          `there is no store in ${empty}: it has no events.db`,
        );
        expectRefusal(
          await run(command, '--data', join(path, 'none')),
          `there is no directory ${join(path, 'none')}`,
        );
      }
      expect(await readdir(path)).toEqual(['empty']);
      expect(await readdir(empty)).toEqual([]);
    });
  });

  it('must be said, once, and in a form that can be read', async () => {
    expectRefusal(await run('events'), '--store URL (or LONGSHORE_STORE), or --data DIRECTORY');
    expectRefusal(await run('replay', '--store', 'esdb://a', '--data', '.'), 'name one of them');
    expectRefusal(await run('events', '--store', 'http://127.0.0.1'), 'the address of the store: ');
  });

  it('is told without its password if nobody answers there', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const end = await run('replay', '--store', `esdb://ann:secret@127.0.0.1:${port}?tls=false`);
    silent.close();
    expectRefusal(end, `the store at esdb://127.0.0.1:${port}?tls=false does not answer`);
    expect(end.errors).not.toContain('secret');
  }, 30_000);
});

const attempt = {
  jobId: 'job-2',
  attempt: 1,
  fencingToken: 2,
  size: 4,
  nodeId: 'node-b',
  placedAt: begin + 8_000,
  startedAt: begin + 9_000,
  stoppingSince: null,
  progress: null,
};

const jobReport = (id: string, number: number, more: object) => ({
  id,
  submitter: 'ann',
  kind: 'report',
  requiredLabels: {},
  size: 9,
  priority: 0,
  submittedAt: begin + number * 1_000,
  acceptedRevision: number,
  preferredNode: null,
  estimatedRunMs: null,
  exclusive: false,
  attemptNumber: 0,
  checkpointRevision: null,
  cancelRequest: null,
  ...more,
});

const nodeReport = (id: string, more: object) => ({
  id,
  status: 'ready',
  cordon: 'none',
  incarnation: 'start-1',
  held: 0,
  labels: { zone: 'north' },
  kinds: ['report'],
  attempts: [],
  orphans: [],
  inDoubt: [],
  ...more,
});

describe('longshore replay', () => {
  it('prints the state of the newest revision as one document', async () => {
    await withLog(chained(history), async ({ url }) => {
      const { output } = expectSuccess(await run('replay', '--store', url, '--json'));
      expect(linesOf({ output } as ProcessEnd)).toHaveLength(1);
      expect(JSON.parse(output)).toEqual({
        revision: head,
        at: begin + head * 1_000,
        clusterId: 'north',
        term: { number: 1, leader: 'server-1', startedAt: begin + 1_000, isOpen: true },
        settings: { ...defaultSettings, graceMs: 0 },
        lastFencingToken: 2,
        nodes: [
          nodeReport('node-a', { joinedAt: begin + 3_000, statusSince: begin + 3_000, capacity: 10 }),
          nodeReport('node-b', {
            joinedAt: begin + 2_000,
            status: 'lost',
            statusSince: begin + 13_000,
            capacity: 5,
            inDoubt: [attempt],
          }),
        ],
        waiting: [
          jobReport('job-2', 7, {
            size: 4,
            attemptNumber: 1,
            since: begin + 13_000,
            boundTo: null,
            inDoubt: attempt,
          }),
          jobReport('job-4', 12, { priority: 3, since: begin + 12_000, boundTo: null, inDoubt: null }),
          jobReport('job-3', 11, { since: begin + 11_000, boundTo: null, inDoubt: null }),
        ],
        placed: [],
        running: [],
        fixedReservations: [],
        finished: { completed: 1, failed: 0, cancelled: 0, forgotten: 0 },
      });
    });
  });

  it('gives the same bytes each time, and wherever the log is read', async () => {
    await withLog(chained(history), async ({ url, path, store }) => {
      const first = expectSuccess(await run('replay', '--store', url, '--json'));
      expect((await run('replay', '--data', path, '--json', '--at', String(head))).output).toBe(first.output);
      await store.end('SIGTERM');
      expect((await run('replay', '--data', path, '--json')).output).toBe(first.output);
    });
  });

  it('stops at a revision, or with the last event up to a time', async () => {
    await withLog(chained(history), async ({ url }) => {
      const at = async (point: string) => {
        const { output } = expectSuccess(await run('replay', '--store', url, '--json', '--at', point));
        const { revision, running, placed } = JSON.parse(output) as {
          revision: number;
          running: unknown[];
          placed: unknown[];
        };
        return [revision, placed.length, running.length];
      };
      expect(await at('0')).toEqual([0, 0, 0]);
      expect(await at('5')).toEqual([5, 1, 0]);
      expect(await at('9')).toEqual([9, 0, 2]);
      expect(await at('2026-01-01T00:00:06Z')).toEqual([6, 0, 1]);
      expect(await at('2026-01-01T01:00:05.999+01:00')).toEqual([5, 1, 0]);
      expect(await at(String(begin + 9_000))).toEqual([9, 0, 2]);
      expect(await at('2027-01-01')).toEqual([head, 0, 0]);
    });
  });

  it('takes all events of an instant', async () => {
    const atOnce = history.map((event) => ({ ...event, at: begin }));
    await withLog(chained(atOnce), async ({ url }) => {
      const { output } = expectSuccess(await run('replay', '--store', url, '--at', String(begin), '--json'));
      expect(JSON.parse(output)).toMatchObject({ revision: head });
    });
  });

  it('is readable without --json', async () => {
    await withLog(chained(history), async ({ url }) => {
      expect(expectSuccess(await run('replay', '--store', url)).output).toBe(
        [
          'revision 13, 2026-01-01T00:00:13.000Z',
          'cluster north, term 1 led by server-1 since 2026-01-01T00:00:01.000Z, policy late-binding',
          'nodes: 2',
          '  node-a  ready  0 of 10 held',
          '  node-b  lost  0 of 5 held  in doubt 1',
          'waiting, first to start first: 3',
          '  job-2  report  size 4  priority 0  since 2026-01-01T00:00:13.000Z  attempt 1 in doubt on node-b',
          '  job-4  report  size 9  priority 3  since 2026-01-01T00:00:12.000Z',
          '  job-3  report  size 9  priority 0  since 2026-01-01T00:00:11.000Z',
          'placed: 0',
          'running: 0',
          'finished: 1 completed, 0 failed, 0 cancelled; 0 more forgotten',
          '',
        ].join('\n'),
      );
    });
  });

  it('refuses a point that is not in the log, or is none', async () => {
    await withLog(chained(history), async ({ url }) => {
      const at = (point: string) => run('replay', '--store', url, '--at', point);
      expectRefusal(await at('14'), 'there is no revision 14: the newest is 13');
      expectRefusal(await at('2025-12-31T23:59:59Z'), 'there was no event up to 2025-12-31T23:59:59.000Z');
      for (const garbage of [
        'yesterday',
        '-1',
        '1.5',
        '2026-02-30',
        '2026-01-01T10:00',
        '2026-13-01',
        '1e3',
        '',
      ]) {
        expectRefusal(await at(garbage), 'It must be a revision, or a time');
      }
    });
    await withLog([], async ({ url }) => {
      expectRefusal(await run('replay', '--store', url), 'the log is empty');
      expectRefusal(
        await run('replay', '--store', url, '--at', '0'),
        'there is no revision 0: the log is empty',
      );
    });
  });

  it('says which event cannot be folded', async () => {
    const twice = [...history.slice(0, 3), { ...history[2], at: begin + 3_000 } as Event];
    await withLog(chained(twice), async ({ url }) => {
      expectRefusal(
        await run('replay', '--store', url),
        'the event at revision 3 cannot be folded: node node-b joined',
      );
    });
  });
});
