import { describe, expect, test } from '@jest/globals';
import { Connection } from '../../../src/event-store/connection.js';
import { WaitExpired } from '../../../src/event-store/errors.js';
import { NoAnswer, type Endpoint, type Session } from '../../../src/event-store/session.js';
import { VirtualTiming } from '../../kit/virtual-timing.js';

const broken = new NoAnswer('the connection broke', { endsSession: true });
const unclear = new NoAnswer('the store timed out', { endsSession: false });

interface FakeSession extends Session {
  readonly number: number;
  isDisposed: boolean;
  /** Lets `dispose` resolve. */
  finishDisposal: () => void;
}

/** A connection over sessions that do nothing but tell what became of them. */
const fakeConnection = () => {
  const timing = new VirtualTiming();
  const sessions: FakeSession[] = [];
  const leaders: (Endpoint | undefined)[] = [];
  const control = { openFailure: undefined as Error | undefined, openCount: 0, successCount: 0 };
  const createSession = (): FakeSession => {
    let finishDisposal = (): void => undefined;
    const disposal = new Promise<void>((resolve) => {
      finishDisposal = resolve;
    });
    const session = { number: sessions.length, isDisposed: false, finishDisposal } as FakeSession;
    session.dispose = () => {
      session.isDisposed = true;
      return disposal;
    };
    sessions.push(session);
    return session;
  };
  const connection = new Connection({
    open: async (leader) => {
      control.openCount += 1;
      leaders.push(leader);
      if (control.openFailure) throw control.openFailure;
      return createSession();
    },
    openTimeoutMs: 1_000,
    answerTimeoutMs: 500,
    backoff: { firstMs: 100, maxMs: 1_000 },
    onSuccess: () => (control.successCount += 1),
    timing,
    log: () => undefined,
  });
  return { connection, timing, sessions, leaders, control };
};

const patience = new AbortController().signal;
const never = (): Promise<never> => new Promise(() => undefined);
const numberOf = async (session: Session): Promise<number> => (session as FakeSession).number;

describe('connection generations', () => {
  test('all calls share one session', async () => {
    const { connection, control } = fakeConnection();
    const calls = [1, 2, 3].map(() => connection.call(patience, numberOf));
    expect(await Promise.all(calls)).toEqual([0, 0, 0]);
    expect([control.openCount, control.successCount]).toEqual([1, 3]);
  });

  test('the first broken call rejects all waits of its generation', async () => {
    const { connection, sessions } = fakeConnection();
    const waiting = connection.call(patience, never);
    await expect(connection.call(patience, () => Promise.reject(broken))).rejects.toBe(broken);
    await expect(waiting).rejects.toMatchObject({ name: 'NoAnswer', cause: broken });
    expect(sessions[0]?.isDisposed).toBe(true);
  });

  test('the next generation opens only when the one before is disposed and its backoff has passed', async () => {
    const { connection, control, sessions, timing } = fakeConnection();
    await expect(connection.call(patience, () => Promise.reject(broken))).rejects.toBe(broken);
    const next = connection.call(patience, numberOf);
    await timing.advance(10_000);
    expect(control.openCount).toBe(1);
    sessions[0]?.finishDisposal();
    await timing.settle();
    expect(control.openCount).toBe(1);
    await timing.advance(100);
    expect(await next).toBe(1);
  });

  test('a silent answer retires the generation', async () => {
    const { connection, sessions, timing } = fakeConnection();
    const silent = connection.call(patience, never);
    const rejected = expect(silent).rejects.toMatchObject({ name: 'NoAnswer', endsSession: true });
    await timing.settle();
    await timing.advance(500);
    await rejected;
    expect(sessions[0]?.isDisposed).toBe(true);
  });

  test('silence shows also where every caller gives up sooner', async () => {
    const { connection, sessions, timing } = fakeConnection();
    for (let count = 0; count < 5; count += 1) {
      expect(sessions[0]?.isDisposed ?? false).toBe(false);
      const limit = new AbortController();
      const call = connection.call(limit.signal, never);
      await timing.settle();
      await timing.advance(100);
      limit.abort(new WaitExpired('no outcome within 100 ms'));
      await expect(call).rejects.toMatchObject({ name: 'WaitExpired' });
    }
    expect(sessions[0]?.isDisposed).toBe(true);
  });

  test('an answer that settles nothing keeps the generation', async () => {
    const { connection, sessions } = fakeConnection();
    await expect(connection.call(patience, () => Promise.reject(unclear))).rejects.toBe(unclear);
    expect(await connection.call(patience, numberOf)).toBe(0);
    expect(sessions[0]?.isDisposed).toBe(false);
  });

  test('a late failure of an earlier generation leaves the live one alone', async () => {
    const { connection, sessions, timing } = fakeConnection();
    const first = await connection.acquire(patience);
    connection.retire(first, broken);
    sessions[0]?.finishDisposal();
    const next = connection.acquire(patience);
    await timing.settle();
    await timing.advance(100);
    const second = await next;
    connection.retire(first, broken);
    expect(await connection.acquire(patience)).toBe(second);
  });

  test('it tries for ever, ever more slowly up to the cap', async () => {
    const { connection, control, timing } = fakeConnection();
    control.openFailure = new Error('connection refused');
    const waiting = connection.call(patience, numberOf);
    const counts: number[] = [];
    for (const ms of [0, 100, 200, 400, 800, 1_000, 1_000, 100_000]) {
      await timing.settle();
      await timing.advance(ms);
      counts.push(control.openCount);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 107]);
    control.openFailure = undefined;
    await timing.advance(1_000);
    expect(await waiting).toBe(0);
  });

  test('a wait for a store that is not there ends as unavailable, with the last failure as its cause', async () => {
    const { connection, control, timing } = fakeConnection();
    control.openFailure = new Error('connection refused');
    const limit = new AbortController();
    const waiting = connection.call(limit.signal, numberOf);
    await timing.settle();
    limit.abort(new WaitExpired('no outcome within 100 ms'));
    await expect(waiting).rejects.toMatchObject({ name: 'StoreUnavailable', cause: control.openFailure });
  });

  test('the next generation begins at the leader that was named, and asks it once', async () => {
    const { connection, control, leaders, sessions, timing } = fakeConnection();
    const leader = { address: '127.0.0.1', port: 2113 };
    const notLeader = new NoAnswer('not leader', { endsSession: true, leader });
    await expect(connection.call(patience, () => Promise.reject(notLeader))).rejects.toBe(notLeader);
    sessions[0]?.finishDisposal();
    control.openFailure = new Error('connection refused');
    const waiting = connection.call(patience, numberOf);
    await timing.advance(100);
    control.openFailure = undefined;
    await timing.advance(1_000);
    await waiting;
    expect(leaders).toEqual([undefined, leader, undefined]);
  });

  test('closing rejects all waits and ends the tries', async () => {
    const { connection, control, timing } = fakeConnection();
    control.openFailure = new Error('connection refused');
    const waiting = connection.call(patience, numberOf);
    await timing.settle();
    const closed = connection.close();
    await expect(waiting).rejects.toMatchObject({ name: 'EventStoreClosed' });
    await closed;
    expect(timing.pendingCount).toBe(0);
    await expect(connection.call(patience, numberOf)).rejects.toMatchObject({ name: 'EventStoreClosed' });
  });
});
