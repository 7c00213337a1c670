import { setMaxListeners } from 'node:events';
import { backoffMs, type Backoff } from './backoff.js';
import { EventStoreClosed, EventStoreError, StoreUnavailable, WaitAborted, WaitExpired } from './errors.js';
import { Gate } from './gate.js';
import type { Log } from './log.js';
import { abortable, pause, Scope } from './scope.js';
import { NoAnswer, type Endpoint, type Session } from './session.js';
import type { Timing } from './timing.js';
import { Waiting } from './waiting.js';

export interface ConnectionOptions {
  /** Opens a session; resolves once the store has answered on it. Must give up when the signal aborts. */
  readonly open: (leader: Endpoint | undefined, signal: AbortSignal) => Promise<Session>;
  /** How long opening may take, in milliseconds. */
  readonly openTimeoutMs: number;
  /** How long the store may take over one answer before it counts as silent, in milliseconds. */
  readonly answerTimeoutMs: number;
  readonly backoff: Backoff;
  /** Called for each append or read that succeeded. */
  readonly onSuccess: () => void;
  readonly timing: Timing;
  readonly log: Log;
}

/** One session and everything that waits on it. */
export interface Generation {
  readonly session: Session;
  /** Aborted, with a `NoAnswer`, when the generation is retired. */
  readonly retired: AbortSignal;
  /** Where calls in line wait, so that they go to the next generation with everything else. */
  readonly gate: Gate;
}

const inLineCountMax = 64;

interface OpenGeneration extends Generation {
  readonly retirement: AbortController;
  /** When the first of the calls began that had no answer after it; absent while there is none. */
  unansweredSince: number | undefined;
}

/**
 * Keeps one live session at a time. The first broken call or silent answer retires the whole generation: all its waits are
 * rejected, it is disposed, and only when nothing of it can call back any more is the next one opened, for ever.
 *
 * Repairing a session call by call would be gentler, but the official client keeps state across calls that does not survive a
 * broken one, and a store that is silent to one call is seldom well to the others.
 */
export class Connection {
  private readonly options: ConnectionOptions;
  private readonly closer = new AbortController();
  private current: OpenGeneration | undefined;
  private opening: Promise<void> | undefined;
  private readonly waiting = new Waiting<Generation>();
  private disposal: Promise<void> = Promise.resolve();
  private leader: Endpoint | undefined;
  private failureCount = 0;
  private lastFailure: unknown;

  constructor(options: ConnectionOptions) {
    this.options = options;
    // Every wait listens to it; there is no number of them that would be a leak.
    setMaxListeners(0, this.closer.signal);
  }

  /** Aborted, with an `EventStoreClosed`, when the connection closes. */
  get closing(): AbortSignal {
    return this.closer.signal;
  }

  /**
   * The live generation, opened if need be.
   *
   * @throws StoreUnavailable if the limit of the wait passes first
   */
  async acquire(signal: AbortSignal): Promise<Generation> {
    signal.throwIfAborted();
    this.closer.signal.throwIfAborted();
    if (this.current) return this.current;
    this.opening ??= this.open();
    try {
      return await this.waiting.wait(signal);
    } catch (error) {
      if (!(error instanceof WaitExpired)) throw error;
      throw new StoreUnavailable('the store could not be reached', { cause: this.lastFailure ?? error });
    }
  }

  /**
   * Makes one call on the live generation.
   *
   * @throws NoAnswer if the generation ended or the store was silent; it may work on the next generation
   */
  async call<T>(
    signal: AbortSignal,
    action: (session: Session, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.callOn(await this.acquire(signal), signal, action);
  }

  /**
   * The same for calls that come in thousands when a connection breaks under as many appends. Only some are under way at a time:
   * all at once would outlast the limit on silence, and so end one healthy session after the other.
   */
  async callInLine<T>(
    signal: AbortSignal,
    action: (session: Session, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const generation = await this.acquire(signal);
    const scope = new Scope(this.options.timing, { parents: [signal, generation.retired] });
    try {
      return await generation.gate.pass(scope.signal, () => this.callOn(generation, signal, action));
    } finally {
      scope.end();
    }
  }

  /** The same on a given generation, which is retired if it breaks or stays silent. */
  async callOn<T>(
    generation: Generation,
    signal: AbortSignal,
    action: (session: Session, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { answerTimeoutMs, timing } = this.options;
    const silence = (): NoAnswer =>
      new NoAnswer(`no answer within ${answerTimeoutMs} ms`, { endsSession: true });
    const limit = { ms: answerTimeoutMs, reason: silence };
    const scope = new Scope(timing, { parents: [signal, generation.retired], limit });
    try {
      scope.signal.throwIfAborted();
      this.noteCall(generation);
      const answer = await abortable(action(generation.session, scope.signal), scope.signal);
      this.noteAnswer(generation);
      this.options.onSuccess();
      return answer;
    } catch (error) {
      this.judge(generation, error, silence);
      throw error;
    } finally {
      scope.end();
    }
  }

  /** Ends a generation; the next `acquire` opens another. Retiring one that is not the live one changes nothing. */
  retire(generation: Generation, failure: NoAnswer): void {
    const current = this.current;
    if (current === undefined || current !== generation) return;
    this.current = undefined;
    this.leader = failure.leader;
    this.noteFailure('the connection to the store was given up', failure);
    this.disposal = current.session.dispose();
    current.retirement.abort(
      new NoAnswer('the connection was given up', { cause: failure, endsSession: true }),
    );
  }

  /** Rejects all waits. Closing twice is fine. */
  async close(): Promise<void> {
    if (!this.closer.signal.aborted) {
      const closed = new EventStoreClosed('the event store client is closed');
      this.closer.abort(closed);
      const current = this.current;
      this.current = undefined;
      if (current) {
        this.disposal = current.session.dispose();
        current.retirement.abort(closed);
      }
    }
    await this.opening;
    await this.disposal;
  }

  private async open(): Promise<void> {
    const { log } = this.options;
    try {
      const session = await this.openForEver();
      log({ level: 'info', message: 'connected to the store' });
      this.waiting.resolve(await this.adopt(session));
    } catch (error) {
      this.waiting.reject(error as Error);
    } finally {
      this.opening = undefined;
    }
  }

  private async openForEver(): Promise<Session> {
    const { backoff, timing } = this.options;
    const closing = this.closer.signal;
    for (;;) {
      await this.disposal;
      if (this.failureCount > 0) {
        await pause(timing, backoffMs(backoff, this.failureCount, timing.luck()), closing);
      }
      closing.throwIfAborted();
      const session = await this.tryToOpen();
      if (session) return session;
    }
  }

  private async tryToOpen(): Promise<Session | undefined> {
    const { open, openTimeoutMs, timing } = this.options;
    const leader = this.leader;
    // A leader that was named and does not answer must not be asked for ever.
    this.leader = undefined;
    const reason = (): Error => new NoAnswer(`not open within ${openTimeoutMs} ms`, { endsSession: true });
    const scope = new Scope(timing, {
      parents: [this.closer.signal],
      limit: { ms: openTimeoutMs, reason },
    });
    try {
      return await open(leader, scope.signal);
    } catch (error) {
      this.noteFailure('the store could not be reached', error);
      return undefined;
    } finally {
      scope.end();
    }
  }

  private async adopt(session: Session): Promise<OpenGeneration> {
    if (this.closer.signal.aborted) {
      await session.dispose();
      throw this.closer.signal.reason;
    }
    const retirement = new AbortController();
    setMaxListeners(0, retirement.signal);
    const generation = {
      session,
      retirement,
      retired: retirement.signal,
      gate: new Gate(inLineCountMax),
      unansweredSince: undefined,
    };
    this.current = generation;
    return generation;
  }

  private noteCall(generation: Generation): void {
    const current = this.current;
    if (current === generation) current.unansweredSince ??= this.options.timing.now();
  }

  private noteAnswer(generation: Generation): void {
    const current = this.current;
    if (current !== generation) return;
    current.unansweredSince = undefined;
    this.failureCount = 0;
  }

  private judge(generation: Generation, error: unknown, silence: () => NoAnswer): void {
    if (error instanceof NoAnswer) {
      if (error.endsSession) this.retire(generation, error);
    } else if (error instanceof WaitExpired || error instanceof WaitAborted) {
      // Callers with short limits must not hide from each other that the store is silent.
      const since = this.current === generation ? this.current.unansweredSince : undefined;
      const isSilent =
        since !== undefined && this.options.timing.now() - since >= this.options.answerTimeoutMs;
      if (isSilent) this.retire(generation, silence());
    } else if (error instanceof EventStoreError) {
      this.noteAnswer(generation);
    }
  }

  private noteFailure(message: string, cause: unknown): void {
    this.failureCount += 1;
    this.lastFailure = cause;
    this.options.log({ level: 'warn', message, cause });
  }
}
