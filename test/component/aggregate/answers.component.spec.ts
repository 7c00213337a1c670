import { describe, expect, test } from '@jest/globals';
import { LeadershipLost } from '../../../src/leadership/leadership-lost.js';
import { OutcomeUnknown, Unavailable } from '../../../src/aggregate/errors.js';
import { AppendOutcomeUnknown, StoreUnavailable } from '../../../src/event-store/errors.js';
import { cancel, submit } from '../../kit/tracker-inputs.js';
import { TrackerWorld } from '../../kit/tracker-world.js';

/** What a promise has come to by now. */
const stateOf = async (promise: Promise<unknown>): Promise<string> => {
  await new Promise((resolve) => setImmediate(resolve));
  let state = 'pending';
  promise.then(
    () => (state = 'answered'),
    () => (state = 'failed'),
  );
  await Promise.resolve();
  await Promise.resolve();
  return state;
};

describe('an answer waits for what it was decided on to be durable (P2)', () => {
  test('an accepted job is answered once its event is in the log', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const answer = tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await store.nextHeld();
      expect(await stateOf(answer)).toBe('pending');
      await append.pass();
      expect(await answer).toEqual({ kind: 'accepted', revision: 2, wasNew: true });
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted', 'JobAccepted']);
    }));

  test('the same job again is answered no sooner than the first', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const first = tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await store.nextHeld();
      const again = tracker.decide(submit('job-1'), { id: 'input-2' });
      expect(await stateOf(again)).toBe('pending');
      await append.pass();
      await first;
      expect(await again).toEqual({ kind: 'accepted', revision: 2, wasNew: false });
    }));

  test('a rejection decided on what is not durable yet waits for that, and for a proof', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const first = tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await store.nextHeld();
      const other = tracker.decide(submit('job-1', { contentHash: 'other' }), { id: 'input-2' });
      expect(await stateOf(other)).toBe('pending');
      await append.pass();
      await first;
      expect(await other).toMatchObject({ kind: 'rejected', code: 'duplicate-job-id', decidedAt: 2 });
    }));

  test('a rejection writes nothing', () =>
    TrackerWorld.with(async (world) => {
      const { tracker } = await world.lead();
      const reply = await tracker.decide(cancel('job-1'), { id: 'input-1' });
      expect(reply).toMatchObject({ kind: 'rejected', code: 'unknown-job', decidedAt: 1 });
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted']);
    }));

  test('a rejection waits for a proof of leadership, however long the store does not answer', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store, runtime } = await world.lead();
      store.readError = new StoreUnavailable('no store');
      const answer = tracker.decide(cancel('job-1'), { id: 'input-1', timeoutMs: 60_000 });
      await runtime.advance(5_000);
      expect(await stateOf(answer)).toBe('pending');
      store.readError = undefined;
      await runtime.advance(2_000);
      expect(await answer).toMatchObject({ kind: 'rejected', code: 'unknown-job' });
    }));
});

describe('group commit', () => {
  test('what is decided while an append is under way leaves together in the next', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const first = tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await store.nextHeld();
      const others = ['job-2', 'job-3', 'job-4'].map((id) => tracker.decide(submit(id), { id: `of-${id}` }));
      await stateOf(Promise.all(others));
      expect(store.heldCount).toBe(0);
      await append.pass();
      await first;
      const next = await store.nextHeld();
      expect(next.events.map(({ type }) => type)).toEqual(Array(3).fill('job-accepted.v1'));
      await next.pass();
      await Promise.all(others);
    }));
});

describe('an append without an answer', () => {
  test('is repeated unchanged until its outcome is known (P4)', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store, runtime } = await world.lead();
      store.hold();
      const answer = tracker.decide(submit('job-1'), { id: 'input-1' });
      const first = await store.nextHeld();
      await first.fail(new AppendOutcomeUnknown('tracker-0', 1), { isWritten: true });
      await runtime.advance(1_000);
      const second = await store.nextHeld();
      expect(second.events).toEqual(first.events);
      await second.pass();
      expect(await answer).toMatchObject({ kind: 'accepted', revision: 2 });
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted', 'JobAccepted']);
    }));

  test('proves nothing when its repetition is acknowledged: the answer waits for a read (P2)', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store, runtime } = await world.lead();
      store.hold();
      const answer = tracker.decide(submit('job-1'), { id: 'input-1' });
      await (await store.nextHeld()).fail(new AppendOutcomeUnknown('tracker-0', 1), { isWritten: true });
      await runtime.advance(300);
      const readsBefore = store.readCount;
      await (await store.nextHeld()).pass();
      await answer;
      expect(store.readCount).toBeGreaterThan(readsBefore);
    }));

  test('lets the caller know after its time that the outcome is unknown', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store, runtime } = await world.lead();
      store.hold();
      const answer = tracker.decide(submit('job-1'), { id: 'input-1', timeoutMs: 3_000 });
      const failure = answer.catch((error: unknown) => error);
      await store.nextHeld();
      await runtime.advance(3_000);
      expect(await failure).toBeInstanceOf(OutcomeUnknown);
    }));
});

describe('somebody else leads', () => {
  test('an append that meets their events ends the term, and nothing of it is accepted', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const answer = tracker.decide(submit('job-1'), { id: 'input-1' });
      const failure = answer.catch((error: unknown) => error);
      const append = await store.nextHeld();
      await world.lead();
      await append.pass();
      expect(await failure).toBeInstanceOf(Unavailable);
      expect(await tracker.ended).toMatchObject({
        kind: 'ended',
        error: expect.any(LeadershipLost) as unknown,
      });
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted', 'TermStarted']);
    }));

  test('an idle leader finds out by its next proof', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, runtime } = await world.lead();
      await world.lead();
      await runtime.advance(1_000);
      expect(await tracker.ended).toMatchObject({
        kind: 'ended',
        error: expect.any(LeadershipLost) as unknown,
      });
    }));

  test('a rejection is not answered by who does not lead any more', () =>
    TrackerWorld.with(async (world) => {
      const { tracker } = await world.lead();
      await world.lead();
      const failure = tracker.decide(cancel('job-1'), { id: 'input-1' }).catch((error: unknown) => error);
      expect(await failure).toBeInstanceOf(Unavailable);
    }));

  test('who comes later is told so', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, runtime } = await world.lead();
      await world.lead();
      await runtime.advance(1_000);
      await tracker.ended;
      await expect(tracker.decide(submit('job-1'), { id: 'input-1' })).rejects.toBeInstanceOf(Unavailable);
    }));
});

describe('resigning (P1)', () => {
  test('writes TermEnded last, and settles what is under way before', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead();
      store.hold();
      const answer = tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await store.nextHeld();
      const resigned = tracker.resign();
      const late = tracker.decide(submit('job-2'), { id: 'input-2' }).catch((error: unknown) => error);
      await append.pass();
      await store.letGo();
      expect(await answer).toMatchObject({ kind: 'accepted' });
      await resigned;
      expect(await late).toBeInstanceOf(Unavailable);
      expect(await tracker.ended).toEqual({ kind: 'resigned' });
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted', 'JobAccepted', 'TermEnded']);
    }));

  test('twice is fine', () =>
    TrackerWorld.with(async (world) => {
      const { tracker } = await world.lead();
      await Promise.all([tracker.resign(), tracker.resign()]);
      await tracker.resign();
      expect((await world.types()).filter((type) => type === 'TermEnded')).toHaveLength(1);
    }));
});
