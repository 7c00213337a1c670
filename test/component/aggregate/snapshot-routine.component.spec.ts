import { describe, expect, test } from '@jest/globals';
import { defaultSnapshotAfterEvents } from '../../../src/aggregate/snapshot-routine.js';
import { defaultSettings } from '../../../src/core/tracker/settings.js';
import { isObject } from '../../../src/event-store/event-metadata.js';
import type { NewEvent } from '../../../src/event-store/event-store.js';
import { plainState } from '../../kit/plain-state.js';
import { cancel, submit } from '../../kit/tracker-inputs.js';
import { TrackerWorld, type Server } from '../../kit/tracker-world.js';

const stream = 'trackersnapshot-0';
const apartMs = 30_000;
const snapshots = { afterEvents: 10, apartMs };

/** Of an empty log: the cluster's, and the term's. */
const firstEventCount = 2;

const submitMany = async ({ tracker }: Server, count: number, name = 'job'): Promise<void> => {
  const jobs = Array.from({ length: count }, (_, at) => submit(`${name}-${at}`));
  await Promise.all(jobs.map(async (job) => tracker.decide(job, { id: `input of ${job.jobId}` })));
};

/** Time passes, and a snapshot that is begun meanwhile is finished. */
const pass = async ({ runtime, tracker }: Server, ms: number): Promise<void> => {
  await runtime.advance(ms);
  await tracker.folded();
};

/** Of what state each snapshot is that stands. */
const revisionsOf = async (world: TrackerWorld): Promise<unknown[]> =>
  (await world.recorded(stream)).map(({ metadata }) => isObject(metadata) && metadata['revision']);

const attemptsOf = ({ store }: Server): number =>
  store.appends.filter((append) => append.stream === stream).length;

const messages = (world: TrackerWorld): string[] => world.logged.map(({ message }) => message);

describe('a snapshot is taken', () => {
  test('once there are so many events, and so much time has passed', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      await submitMany(server, 20);
      await pass(server, apartMs - 1);
      expect(await revisionsOf(world)).toEqual([]);
      await pass(server, 1);
      expect(await revisionsOf(world)).toEqual([21]);
    }));

  test('not of fewer events, however much time has passed', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      await submitMany(server, snapshots.afterEvents - firstEventCount - 1);
      await pass(server, 10 * apartMs);
      expect(await revisionsOf(world)).toEqual([]);
      await submitMany(server, 1, 'one more');
      await server.tracker.folded();
      expect(await revisionsOf(world)).toEqual([9]);
    }));

  test('again no sooner than so much later, however many events there are', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      await submitMany(server, 10);
      await pass(server, apartMs);
      await submitMany(server, 50, 'more');
      await pass(server, apartMs - 1);
      expect(await revisionsOf(world)).toEqual([11]);
      await pass(server, 1_000);
      expect(await revisionsOf(world)).toEqual([11, 61]);
    }));

  test('again only after so many events more', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      await submitMany(server, 10);
      await pass(server, apartMs);
      await submitMany(server, snapshots.afterEvents - 1, 'more');
      await pass(server, 10 * apartMs);
      expect(await revisionsOf(world)).toEqual([11]);
      await submitMany(server, 1, 'one more');
      await server.tracker.folded();
      expect(await revisionsOf(world)).toEqual([11, 21]);
    }));

  test('by the next leader, counting from the one that it began with', () =>
    TrackerWorld.with(async (world) => {
      const first = await world.lead({ snapshots });
      await submitMany(first, 10);
      await pass(first, apartMs);
      await first.tracker.resign();
      const second = await world.lead({ snapshots });
      // With the end of one term and the start of the next.
      await submitMany(second, snapshots.afterEvents - 3, 'more');
      await pass(second, 10 * apartMs);
      expect(await revisionsOf(world)).toEqual([11]);
      await submitMany(second, 1, 'one more');
      await second.tracker.folded();
      expect(await revisionsOf(world)).toEqual([11, 21]);
    }));

  test('after 10,000 events, or as many as a tenth of the live jobs, unless it is said', () => {
    const after = [0, 100_000, 100_001, 1_000_000].map(defaultSnapshotAfterEvents);
    expect(after).toEqual([10_000, 10_000, 10_001, 100_000]);
  });

  test('by a leader that resigns, if it spares the next one much', () =>
    TrackerWorld.with(async (world) => {
      const first = await world.lead();
      await submitMany(first, 1_000 - firstEventCount - 1);
      await first.tracker.resign();
      expect(await revisionsOf(world)).toEqual([999]);
      const second = await world.lead();
      expect(plainState(second.tracker.state)).toStrictEqual(plainState(await world.folded()));
      await submitMany(second, 990, 'more');
      await second.tracker.resign();
      expect(await revisionsOf(world)).toEqual([999]);
    }));
});

describe('while a snapshot is written', () => {
  test('no other is begun', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      server.store.holdOnly(stream);
      await submitMany(server, 10);
      await server.runtime.advance(apartMs);
      const chunk = await server.store.nextHeld();
      await submitMany(server, 50, 'more');
      await server.runtime.advance(10 * apartMs);
      expect(attemptsOf(server)).toBe(1);
      await chunk.pass();
      await server.tracker.folded();
      expect(await revisionsOf(world)).toEqual([11]);
      expect(plainState(server.tracker.state)).toStrictEqual(plainState(await world.folded()));
    }));

  test('its leader may resign, and nobody hears of what it left', () =>
    TrackerWorld.with(async (world) => {
      const first = await world.lead({ snapshots });
      first.store.holdOnly(stream);
      await submitMany(first, 10);
      await first.runtime.advance(apartMs);
      await first.store.nextHeld();
      await submitMany(first, 1_000, 'more');
      await first.tracker.resign();
      expect(attemptsOf(first)).toBe(1);
      expect((await world.types()).at(-1)).toBe('TermEnded');
      const second = await world.lead();
      expect(plainState(second.tracker.state)).toStrictEqual(plainState(await world.folded()));
      expect(messages(world)).toEqual([]);
    }));
});

describe('a snapshot that cannot be written', () => {
  test('is tried again only when the next one would be due, and holds up nobody', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      server.store.holdOnly(stream);
      await submitMany(server, 10);
      await server.runtime.advance(apartMs);
      await (await server.store.nextHeld()).fail(new Error('no space'));
      await server.tracker.folded();
      for (let second = 0; second < 29; second += 1) {
        await submitMany(server, 20, `job of second ${second}`);
        await pass(server, 1_000);
      }
      expect(attemptsOf(server)).toBe(1);
      expect(server.tracker.state.jobs.size).toBe(10 + 29 * 20);
      await server.store.letGo();
      await pass(server, 1_000);
      expect(attemptsOf(server)).toBe(2);
      expect(await revisionsOf(world)).toEqual([591]);
      expect(messages(world)).toEqual(['no snapshot could be taken']);
    }));

  test('because the ones before cannot be read, is none either', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      await submitMany(server, 10);
      server.store.readError = new Error('nobody answers');
      await pass(server, apartMs);
      server.store.readError = undefined;
      await pass(server, apartMs - 1_000);
      expect(attemptsOf(server)).toBe(0);
      await pass(server, 1_000);
      expect(await revisionsOf(world)).toEqual([11]);
      expect(messages(world)).toEqual(['no snapshot could be taken']);
    }));

  test('because another writer was there is no trouble, and tried again later', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead({ snapshots });
      server.store.holdOnly(stream);
      await submitMany(server, 10);
      await server.runtime.advance(apartMs);
      const chunk = await server.store.nextHeld();
      await server.store.letGo();
      const foreign: NewEvent = { id: world.newId(), type: 'x.v1', data: {} };
      await server.store.append(stream, [foreign], { expectedRevision: 'any' });
      await chunk.pass();
      await server.tracker.folded();
      expect(await revisionsOf(world)).toEqual([false]);
      await pass(server, apartMs);
      expect(await revisionsOf(world)).toEqual([false, 11]);
      expect(messages(world)).toEqual([]);
    }));
});

test('what was forgotten stays so after a start from a snapshot, and is looked up (P23)', () =>
  TrackerWorld.with(async (world) => {
    const settings = { ...defaultSettings, finishedKeptMs: 1_000 };
    const first = await world.lead({ settings, snapshots: { afterEvents: 1, apartMs: 5_000 } });
    await submitMany(first, 3);
    await first.tracker.decide(cancel('job-0'), { id: 'cancel' });
    const forgotten = new Promise<void>((resolve) => {
      first.tracker.onDurable((events) => {
        if (events.some(({ type }) => type === 'JobsForgotten')) resolve();
      });
    });
    await first.runtime.advance(2_000);
    await forgotten;
    await pass(first, 3_000);
    expect(await revisionsOf(world)).toEqual([6]);
    const { archive } = first;
    const second = await world.lead({ settings, archive });
    const { state } = second.tracker;
    expect(plainState(state)).toStrictEqual(plainState(await world.folded()));
    expect([[...state.jobs.keys()], state.forgottenRevision]).toEqual([['job-1', 'job-2'], 6]);
    expect(await second.tracker.decide(submit('job-0'), { id: 'again' })).toMatchObject({ wasNew: false });
    expect(await second.tracker.decide(cancel('job-0'), { id: 'cancel again' })).toMatchObject({
      wasNew: false,
    });
    expect(archive.lookups).toEqual(['job-0', 'job-0']);
  }));
