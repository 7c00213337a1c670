import { describe, expect, test } from '@jest/globals';
import type { FencingToken } from '../../../src/core/ids.js';
import { Dispatcher } from '../../../src/dispatch/dispatcher.js';
import type { Order } from '../../../src/dispatch/order.js';
import { StoreUnavailable } from '../../../src/event-store/errors.js';
import { cancel, hello, submit } from '../../kit/tracker-inputs.js';
import { TrackerWorld, type Server } from '../../kit/tracker-world.js';

/** A way to the nodes that keeps what is sent. */
class RecordingTransport {
  readonly sent: { nodeId: string; order: Order }[] = [];
  private awaited: { count: number; resolve: () => void } | undefined;

  readonly send = (nodeId: string, order: Order): void => {
    this.sent.push({ nodeId, order });
    if (this.awaited && this.sent.length >= this.awaited.count) this.awaited.resolve();
  };

  /** Resolves once so many orders have been sent. */
  async count(count: number): Promise<void> {
    if (this.sent.length >= count) return;
    await new Promise<void>((resolve) => {
      this.awaited = { count, resolve };
    });
  }
}

const dispatching = ({ tracker }: Server) => {
  const transport = new RecordingTransport();
  return { transport, dispatcher: new Dispatcher({ tracker, transport }) };
};

const start = {
  kind: 'start',
  term: 1,
  jobId: 'job-1',
  attempt: 1,
  fencingToken: 1,
  acceptedRevision: 3,
} as const;

describe('orders', () => {
  test('a placement is ordered once it is durable, and not before', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { transport } = dispatching(server);
      await server.tracker.tell(hello('node-a'), { id: 'hello' });
      server.store.hold();
      const answer = server.tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await server.store.nextHeld();
      expect(append.events.map(({ type }) => type)).toEqual(['job-accepted.v1', 'job-placed.v1']);
      expect(transport.sent).toEqual([]);
      await append.pass();
      await transport.count(1);
      await answer;
      expect(transport.sent).toEqual([{ nodeId: 'node-a', order: start }]);
    }));

  test('a cancel of what was placed is ordered as a stop', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { transport } = dispatching(server);
      await server.tracker.tell(hello('node-a'), { id: 'hello' });
      await server.tracker.decide(submit('job-1'), { id: 'input-1' });
      await transport.count(1);
      await server.tracker.decide(cancel('job-1'), { id: 'input-2' });
      await transport.count(2);
      const { acceptedRevision: _, ...of } = start;
      expect(transport.sent[1]).toEqual({
        nodeId: 'node-a',
        order: { ...of, kind: 'stop', reason: 'cancelled' },
      });
    }));

  test('a hello is answered with the difference: what never began is ordered again, what does not count is stopped (P14)', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { transport, dispatcher } = dispatching(server);
      const { tracker } = server;
      await tracker.tell(hello('node-a'), { id: 'hello' });
      await tracker.decide(submit('job-1'), { id: 'input-1' });
      await transport.count(1);
      const { jobId } = submit('job-9');
      const fencingToken = 77 as FencingToken;
      const stranger = { jobId, attempt: 3, fencingToken, size: 2, state: 'running' } as const;
      const again = hello('node-a', { attempts: [stranger] });
      expect(await tracker.tell(again, { id: 'again' })).toEqual({ kind: 'welcome', stale: [stranger] });
      await dispatcher.reconcile(again);
      expect(transport.sent.slice(1).map(({ order }) => order)).toEqual([
        start,
        { kind: 'stop', term: 1, jobId, attempt: 3, fencingToken, reason: 'stale' },
      ]);
    }));

  test('what both sides know is not ordered again', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { transport, dispatcher } = dispatching(server);
      await server.tracker.tell(hello('node-a'), { id: 'hello' });
      await server.tracker.decide(submit('job-1'), { id: 'input-1' });
      await transport.count(1);
      const { jobId, fencingToken } = {
        ...start,
        jobId: submit('job-1').jobId,
        fencingToken: 1 as FencingToken,
      };
      const known = { jobId, attempt: 1, fencingToken, size: 1, state: 'accepted' } as const;
      const again = hello('node-a', { attempts: [known] });
      await server.tracker.tell(again, { id: 'again' });
      await dispatcher.reconcile(again);
      expect(transport.sent).toHaveLength(1);
    }));

  test('a leader whose proof is older than 5 s gives none (P3)', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { transport, dispatcher } = dispatching(server);
      await server.tracker.tell(hello('node-a'), { id: 'hello' });
      await server.tracker.decide(submit('job-1'), { id: 'input-1' });
      await transport.count(1);
      server.store.readError = new StoreUnavailable('no store');
      await server.runtime.advance(6_000);
      await dispatcher.reconcile(hello('node-a'));
      expect(transport.sent).toHaveLength(1);
    }));

  test('a placement that took long to become durable is ordered with the next proof (P3)', () =>
    TrackerWorld.with(async (world) => {
      const server = await world.lead();
      const { transport } = dispatching(server);
      await server.tracker.tell(hello('node-a'), { id: 'hello' });
      server.store.readError = new StoreUnavailable('no store');
      server.store.hold();
      const answer = server.tracker.decide(submit('job-1'), { id: 'input-1' });
      const append = await server.store.nextHeld();
      await server.runtime.advance(6_000);
      await append.pass();
      await answer;
      expect(transport.sent).toEqual([]);
      server.store.readError = undefined;
      await server.runtime.advance(1_000);
      await transport.count(1);
      expect(transport.sent).toEqual([{ nodeId: 'node-a', order: start }]);
    }));
});
