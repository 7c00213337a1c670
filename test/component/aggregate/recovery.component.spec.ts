import { describe, expect, test } from '@jest/globals';
import { LogUnusable } from '../../../src/aggregate/errors.js';
import { LeadershipLost } from '../../../src/leadership/leadership-lost.js';
import { snapshotOf } from '../../../src/core/tracker/snapshot.js';
import type { TrackerState } from '../../../src/core/tracker/state.js';
import { canonicalJson } from '../../../src/event-store/canonical-json.js';
import { ChainBroken, UnknownEvent } from '../../../src/event-store/codec-errors.js';
import { encodeEvent } from '../../../src/event-store/event-codec.js';
import { isObject, metadataIn } from '../../../src/event-store/event-metadata.js';
import { linkHash } from '../../../src/event-store/hash-chain.js';
import { cancel, hello, submit } from '../../kit/tracker-inputs.js';
import { TrackerWorld } from '../../kit/tracker-world.js';

const asRecords = (state: TrackerState): unknown[] => [...snapshotOf(state)];

const hashOfLast = async (world: TrackerWorld): Promise<string> => {
  const metadata = (await world.recorded()).at(-1)?.metadata;
  return (isObject(metadata) && metadataIn(metadata)?.hash) || '';
};

describe('a leader that starts', () => {
  test('creates the cluster in an empty log, and starts term 1', () =>
    TrackerWorld.with(async (world) => {
      const { tracker } = await world.lead();
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted']);
      expect(tracker.state.term).toMatchObject({ number: 1, leader: 'server-1', isOpen: true });
    }));

  test('goes on from the log of the one before, in the next term, without answering for it', () =>
    TrackerWorld.with(async (world) => {
      const first = await world.lead();
      await first.tracker.tell(hello('node-a'), { id: 'input-1' });
      await first.tracker.decide(submit('job-1'), { id: 'input-2' });
      await first.tracker.resign();
      const second = await world.lead();
      expect(second.tracker.state.term.number).toBe(2);
      expect(second.tracker.state.nodes.get(hello('node-a').nodeId)?.status).toBe('unheard');
      expect(await second.tracker.decide(submit('job-1'), { id: 'input-3' })).toMatchObject({
        wasNew: false,
      });
      expect((await world.types()).filter((type) => type === 'ClusterCreated')).toHaveLength(1);
    }));

  test('does not lead if somebody else takes the term first', () =>
    TrackerWorld.with(async (world) => {
      const server = world.server();
      server.store.hold();
      const failure = server.lead().catch((error: unknown) => error);
      const append = await server.store.nextHeld();
      await world.lead();
      await append.pass();
      expect(await failure).toBeInstanceOf(LeadershipLost);
      expect(await world.types()).toEqual(['ClusterCreated', 'TermStarted']);
    }));

  test('lets its time begin no sooner than the last event, however its wall clock stands (P8)', () =>
    TrackerWorld.with(async (world) => {
      const first = await world.lead();
      await first.runtime.advance(3_600_000);
      await first.tracker.decide(submit('job-1'), { id: 'input-1' });
      await first.tracker.resign();
      await world.lead();
      const [, , accepted, ended, started] = await world.events();
      expect(started?.type).toBe('TermStarted');
      expect(started?.at).toBeGreaterThanOrEqual(Math.max(accepted?.at ?? NaN, ended?.at ?? NaN));
    }));
});

describe('a snapshot', () => {
  const often = { afterEvents: 10, apartMs: 0 };

  test('and the events since make the state that all events make (P5)', () =>
    TrackerWorld.with(async (world) => {
      const first = await world.lead({ snapshots: often });
      await first.tracker.tell(hello('node-a'), { id: 'hello' });
      for (let index = 0; index < 40; index += 1) {
        await first.tracker.decide(submit(`job-${index}`), { id: `input-${index}` });
        if (index % 3 === 0) await first.tracker.decide(cancel(`job-${index}`), { id: `cancel-${index}` });
      }
      expect(await world.recorded('trackersnapshot-0')).not.toEqual([]);
      const second = await world.lead({ snapshots: { afterEvents: 1_000_000 } });
      expect(asRecords(second.tracker.state)).toEqual(asRecords(await world.folded()));
      expect(asRecords(second.tracker.latest)).toEqual(asRecords(second.tracker.state));
    }));

  test('holds up nobody while it is written', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead({ snapshots: often });
      for (let index = 0; index < 8; index += 1) {
        await tracker.decide(submit(`job-${index}`), { id: `input-${index}` });
      }
      store.holdOnly('trackersnapshot-0');
      await tracker.decide(submit('job-8'), { id: 'input-8' });
      const chunk = await store.nextHeld();
      const reply = await tracker.decide(submit('job-9'), { id: 'input-9' });
      expect(reply).toMatchObject({ kind: 'accepted' });
      expect(tracker.state.jobs.has(submit('job-9').jobId)).toBe(false);
      await chunk.pass();
      await store.letGo();
      await tracker.folded();
      expect(tracker.state.jobs.has(submit('job-9').jobId)).toBe(true);
    }));

  test('that cannot be written costs nothing but time', () =>
    TrackerWorld.with(async (world) => {
      const { tracker, store } = await world.lead({ snapshots: often });
      for (let index = 0; index < 8; index += 1) {
        await tracker.decide(submit(`job-${index}`), { id: `input-${index}` });
      }
      store.holdOnly('trackersnapshot-0');
      await tracker.decide(submit('job-8'), { id: 'input-8' });
      await (await store.nextHeld()).fail(new Error('no space'));
      await tracker.folded();
      expect(await tracker.decide(submit('job-9'), { id: 'input-9' })).toMatchObject({ kind: 'accepted' });
      expect(world.logged).toMatchObject([{ message: 'no snapshot could be taken' }]);
    }));
});

describe('a log that cannot be folded stops the start, loudly (P6, P28)', () => {
  test('an event that nobody knows', () =>
    TrackerWorld.with(async (world) => {
      await (await world.lead()).tracker.resign();
      const type = 'job-teleported.v1';
      const about = { $correlationId: 'x', $causationId: 'x', term: 1 };
      const hash = linkHash(await hashOfLast(world), type, '{}', canonicalJson(about));
      await world.append({ id: world.newId(), type, data: {}, metadata: { ...about, hash } });
      await expect(world.lead()).rejects.toBeInstanceOf(UnknownEvent);
    }));

  test('an event that was written by nobody who knew the one before', () =>
    TrackerWorld.with(async (world) => {
      await world.lead();
      const context = { id: world.newId(), previousHash: '1'.repeat(64), term: 1, causationId: 'x' };
      await world.append(encodeEvent({ type: 'TermEnded', term: 1, at: Date.UTC(2030, 0) }, context).stored);
      await expect(world.lead()).rejects.toBeInstanceOf(ChainBroken);
    }));

  test('an event of a term that is over', () =>
    TrackerWorld.with(async (world) => {
      const { tracker } = await world.lead();
      const context = { id: world.newId(), previousHash: await hashOfLast(world), term: 7, causationId: 'x' };
      await world.append(
        encodeEvent({ type: 'ClockStepped', byMs: 1, at: tracker.state.at }, context).stored,
      );
      await expect(world.lead()).rejects.toBeInstanceOf(LogUnusable);
    }));

  test('an event that breaks an invariant', () =>
    TrackerWorld.with(async (world) => {
      const { tracker } = await world.lead();
      const context = { id: world.newId(), previousHash: await hashOfLast(world), term: 1, causationId: 'x' };
      const { nodeId } = hello('nobody');
      await world.append(encodeEvent({ type: 'NodeLost', nodeId, at: tracker.state.at }, context).stored);
      await expect(world.lead()).rejects.toBeInstanceOf(LogUnusable);
    }));
});
