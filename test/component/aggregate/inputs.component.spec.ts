import { describe, expect, test } from '@jest/globals';
import { InputQuarantined, InputTooLarge, Unavailable } from '../../../src/aggregate/errors.js';
import { trackerLimits } from '../../../src/aggregate/limits.js';
import type { FencingToken, Incarnation, JobId, NodeId } from '../../../src/core/ids.js';
import type { AttemptReported, ListedAttempt } from '../../../src/core/tracker/fact.js';
import { defaultSettings } from '../../../src/core/tracker/settings.js';
import { metadataIn, isObject } from '../../../src/event-store/event-metadata.js';
import { cancel, hello, submit } from '../../kit/tracker-inputs.js';
import { TrackerWorld, type Server } from '../../kit/tracker-world.js';

const succeeded = (of: string, attempt: number, token: number): AttemptReported => ({
  type: 'AttemptReported',
  nodeId: 'node-a' as NodeId,
  incarnation: 'node-a/1' as Incarnation,
  jobId: of as JobId,
  attempt,
  fencingToken: token as FencingToken,
  report: { state: 'ended', end: { reason: 'succeeded' } },
});

/** Resolves once an event of the type has become durable. */
const durable = async ({ tracker }: Server, type: string): Promise<void> =>
  new Promise((resolve) => {
    const stop = tracker.onDurable((events) => {
      if (!events.some((event) => event.type === type)) return;
      stop();
      resolve();
    });
  });

describe('inputs become events', () => {
  test('a job is placed as soon as a node says hello, ends, and its end is released', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { tracker } = server;
      await tracker.decide(submit('job-1'), { id: 'input-1' });
      const placed = durable(server, 'JobPlaced');
      const welcome = await tracker.tell(hello('node-a'), { id: 'input-2' });
      expect(welcome).toEqual({ kind: 'welcome', stale: [] });
      await placed;
      expect(await tracker.tell(succeeded('job-1', 1, 1), { id: 'input-3' })).toEqual({ kind: 'release' });
      expect(await tracker.tell(succeeded('job-1', 1, 1), { id: 'input-4' })).toEqual({ kind: 'release' });
      expect((await world.types()).slice(2)).toEqual([
        'JobAccepted',
        'NodeJoined',
        'JobPlaced',
        'AttemptEnded',
      ]);
    }));

  test('what is stored says by whom, because of what, and in which term', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const placed = durable(server, 'JobPlaced');
      await server.tracker.decide(submit('job-1'), { id: 'input-1' });
      await server.tracker.tell(hello('node-a'), { id: 'input-2' });
      await placed;
      const about = (await world.recorded()).map(({ metadata }) =>
        isObject(metadata) ? metadataIn(metadata) : undefined,
      );
      expect(about.slice(1)).toMatchObject([
        { term: 1, by: 'server-1' },
        { term: 1, by: 'ada', $causationId: 'input-1', $correlationId: 'job-1' },
        { term: 1, $causationId: 'input-2', $correlationId: 'node-a' },
        { term: 1, $causationId: 'input-2', $correlationId: 'job-1' },
      ]);
    }));

  test('a tick that implies nothing writes nothing (P8)', () =>
    TrackerWorld.with(async (world) => {
      const { runtime } = await world.lead();
      await runtime.advance(60_000);
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted']);
    }));

  test('what may start because time has passed is placed by the clock', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      await server.tracker.tell(hello('node-a'), { id: 'input-1' });
      await server.tracker.decide(submit('job-1', { size: 9 }), { id: 'input-2' });
      const placed = durable(server, 'JobPlaced');
      await server.runtime.advance(30_000);
      await placed;
      const last = (await world.recorded()).at(-1);
      expect(last).toMatchObject({ type: 'job-placed.v1', metadata: { $causationId: 'clock' } });
    }));

  test('a wall clock that jumps ahead is followed, and recorded (P8)', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const stepped = durable(server, 'ClockStepped');
      server.runtime.turnWallClock(3_600_000);
      await server.runtime.advance(1_000);
      await stepped;
      const [, started, step] = await world.events();
      expect(step).toMatchObject({ type: 'ClockStepped', byMs: 3_600_000 - 100 });
      expect((step?.at ?? 0) - (started?.at ?? 0)).toBeGreaterThanOrEqual(3_600_000);
    }));
});

describe('an input that breaks an invariant (P6)', () => {
  test('is set aside and answered; what was decided before stands, and what comes later is decided', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const before = tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await store.nextHeld();
      const earlier = tracker.decide(submit('job-2'), { id: 'input-2' });
      // No input does this: the speculative state is made to break at the next event.
      const broken = new Promise<void>((resolve) => {
        setImmediate(() => {
          tracker.latest.at = Number.MAX_SAFE_INTEGER;
          resolve();
        });
      });
      await broken;
      const poisonous = tracker.decide(submit('job-3'), { id: 'input-3' }).catch((error: unknown) => error);
      const later = tracker.decide(submit('job-4'), { id: 'input-4' });
      expect(await poisonous).toBeInstanceOf(InputQuarantined);
      await append.pass();
      await store.letGo();
      await Promise.all([before, earlier, later]);
      expect((await world.events()).map((event) => ('jobId' in event ? event.jobId : event.type))).toEqual([
        'ClusterCreated',
        'TermStarted',
        'job-1',
        'job-2',
        'job-4',
      ]);
      expect(world.quarantined).toMatchObject([{ id: 'input-3', input: { jobId: 'job-3' } }]);
      expect(world.logged.map(({ message }) => message)).toEqual([expect.stringContaining('input-3')]);
    }));
});

describe('limits', () => {
  test('a payload over the limit is refused by name, size and limit before it is decided (P11)', () =>
    TrackerWorld.with(async (world) => {
      const { tracker } = await world.lead();
      const payload = 'x'.repeat(trackerLimits.payloadBytesMax - 1);
      await expect(tracker.decide(submit('job-1', { payload }), { id: 'input-1' })).rejects.toEqual(
        new InputTooLarge('payload', trackerLimits.payloadBytesMax + 1, trackerLimits.payloadBytesMax),
      );
      const fitting = payload.slice(1);
      const reply = await tracker.decide(submit('job-2', { payload: fitting }), { id: 'input-2' });
      expect(reply).toMatchObject({ kind: 'accepted' });
    }));

  test('a full queue turns commands away at once and loses none of those it has (P12)', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const count = trackerLimits.commandsMax + 1;
      const answers = Array.from({ length: count }, (_, index) =>
        tracker.decide(cancel(`job-${index}`), { id: `input-${index}` }),
      );
      await expect(answers.at(-1)).rejects.toBeInstanceOf(Unavailable);
      const replies = await Promise.all(answers.slice(0, -1));
      expect(replies.every(({ kind }) => kind === 'rejected')).toBe(true);
    }));
});

describe('a job that has left memory (P23)', () => {
  test('is looked up before its command is decided', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ settings: { ...defaultSettings, finishedKeptMs: 1_000 } });
      const { tracker, runtime, archive } = server;
      await tracker.decide(submit('job-1'), { id: 'input-1' });
      await tracker.decide(cancel('job-1'), { id: 'input-2' });
      const forgotten = durable(server, 'JobsForgotten');
      await runtime.advance(3_000);
      await forgotten;
      expect(archive.lookups).toEqual([]);
      expect(await tracker.decide(submit('job-1'), { id: 'input-3' })).toMatchObject({ wasNew: false });
      expect(await tracker.decide(submit('job-1', { contentHash: 'x' }), { id: 'input-4' })).toMatchObject({
        code: 'duplicate-job-id',
      });
      expect(await tracker.decide(cancel('job-1'), { id: 'input-5' })).toMatchObject({ wasNew: false });
      expect(await tracker.decide(submit('job-2'), { id: 'input-6' })).toMatchObject({ wasNew: true });
      expect(archive.lookups).toEqual(['job-1', 'job-1', 'job-1', 'job-2']);
    }));

  test('cannot be decided on while nothing can be looked up', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ settings: { ...defaultSettings, finishedKeptMs: 1_000 } });
      const { tracker, runtime, archive } = server;
      await tracker.decide(submit('job-1'), { id: 'input-1' });
      await tracker.decide(cancel('job-1'), { id: 'input-2' });
      const forgotten = durable(server, 'JobsForgotten');
      await runtime.advance(3_000);
      await forgotten;
      archive.find = async () => Promise.reject(new Error('no disk'));
      await expect(tracker.decide(submit('job-1'), { id: 'input-3' })).rejects.toBeInstanceOf(Unavailable);
    }));
});

describe('much at once goes through in bounded steps (P10, P11)', () => {
  test('1,000 jobs of 256 KiB in one bulk', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      const payload = 'x'.repeat(trackerLimits.payloadBytesMax - 2);
      const bulk = Array.from({ length: 1_000 }, (_, index) =>
        tracker.decide(submit(`job-${index}`, { payload }), { id: `input-${index}` }),
      );
      expect((await Promise.all(bulk)).every(({ kind }) => kind === 'accepted')).toBe(true);
      expect(Math.max(...store.appends.map(({ events }) => events.length))).toBe(3);
    }));

  test('a group at the limit of an append', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const first = tracker.decide(submit('first'), { id: 'input' });
      const held = await store.nextHeld();
      const jobs = Array.from({ length: 6_000 }, (_, index) =>
        tracker.decide(submit(`job-${index}`, { payload: 'x'.repeat(300) }), { id: `input-${index}` }),
      );
      for (let decided = -1; decided !== tracker.latest.jobs.size;) {
        decided = tracker.latest.jobs.size;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await held.pass();
      await store.letGo();
      await Promise.all([first, ...jobs]);
      expect(await world.types()).toHaveLength(2 + 1 + jobs.length);
      expect(Math.max(...store.appends.map(({ events }) => events.length))).toBeGreaterThan(1_000);
    }));

  test('a node that is lost with 10,000 attempts, and comes back with them', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { tracker } = server;
      const count = 10_000;
      const jobs = Array.from({ length: count }, (_, index) =>
        tracker.decide(submit(`job-${index}`), { id: `input-${index}` }),
      );
      await Promise.all(jobs);
      const placed = allPlaced(server, count);
      const big = hello('node-a', { capacity: count });
      await tracker.tell(big, { id: 'hello' });
      await placed;
      const lost = { type: 'NodeFellSilent', nodeId: big.nodeId, incarnation: big.incarnation } as const;
      await tracker.tell({ ...lost, judgedAs: 'lost' }, { id: 'lost' });
      expect(tracker.state.waiting.count).toBe(count);
      const attempts = (await world.events()).flatMap((event): ListedAttempt[] =>
        event.type === 'JobPlaced'
          ? [{ jobId: event.jobId, attempt: 1, fencingToken: event.fencingToken, size: 1, state: 'running' }]
          : [],
      );
      await tracker.tell({ ...big, attempts }, { id: 'back' });
      expect(tracker.state.waiting.count).toBe(0);
      expect(tracker.state.nodes.get(big.nodeId)?.held).toBe(count);
      const types = await world.types();
      expect(types.filter((type) => type === 'NodeLost' || type === 'NodeHeard')).toEqual([
        'NodeLost',
        'NodeHeard',
      ]);
      expect(types.filter((type) => type === 'AttemptStarted')).toHaveLength(count);
    }));
});

const allPlaced = async ({ tracker }: Server, count: number): Promise<void> =>
  new Promise((resolve) => {
    let placedCount = 0;
    tracker.onDurable((events) => {
      placedCount += events.filter(({ type }) => type === 'JobPlaced').length;
      if (placedCount === count) resolve();
    });
  });
