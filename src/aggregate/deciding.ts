import type { Instant } from '../core/instant.js';
import { limits } from '../core/limits.js';
import type { Command } from '../core/tracker/command.js';
import { decide } from '../core/tracker/decide.js';
import type { Decision, Integration } from '../core/tracker/decision.js';
import type { Event } from '../core/tracker/event.js';
import { evolve } from '../core/tracker/evolve.js';
import type { Fact } from '../core/tracker/fact.js';
import { integrate } from '../core/tracker/integrate.js';
import { pumpNext } from '../core/tracker/pump.js';
import type { TrackerState } from '../core/tracker/state.js';
import { encodeEvent } from '../event-store/event-codec.js';
import type { NewEvent } from '../event-store/event-store.js';
import type { EncodedDecision } from './group.js';
import { trackerLimits } from './limits.js';

/** Where events come from, as their metadata tells. */
export interface Cause {
  /** The id of the input, or `clock`. */
  readonly causationId: string;
  readonly by?: string;
}

/** What was decided on an input, with its events as they will be stored. Without events there is nothing to store. */
export interface Decided<T> {
  readonly outcome: T;
  readonly encoded: EncodedDecision | undefined;
}

/**
 * Decides on the speculative state: the fold of the log and of all that was decided since, durable or not (P5). What throws
 * here leaves that state of no more use; see `restart`.
 */
export class Deciding {
  constructor(
    private current: TrackerState,
    private hash: string,
    private readonly newId: () => string,
  ) {}

  get state(): TrackerState {
    return this.current;
  }

  /** Goes on from the durable state; nothing that was decided since may be under way. */
  restart(state: TrackerState, hash: string): void {
    this.current = state;
    this.hash = hash;
  }

  command(command: Command, cause: Cause, now: Instant): Decided<Decision> {
    const outcome = decide(this.current, command, now);
    return { outcome, encoded: outcome.kind === 'accepted' ? this.take(outcome.events, cause) : undefined };
  }

  fact(fact: Fact, cause: Cause, now: Instant): Decided<Integration> {
    const outcome = integrate(this.current, fact, now);
    return { outcome, encoded: this.take(outcome.events, cause) };
  }

  /** One step of the pump (P10). */
  pump(cause: Cause, now: Instant): Decided<{ readonly isQuiet: boolean }> {
    const events: Event[] = [];
    for (let next = pumpNext(this.current, now); next; next = pumpNext(this.current, now)) {
      evolve(this.current, next);
      events.push(next);
      if (events.length === limits.eventsPerStepMax) break;
    }
    const isQuiet = events.length < limits.eventsPerStepMax;
    return { outcome: { isQuiet }, encoded: this.encode(events, cause) };
  }

  /** Takes up an event of leadership, which no input asks for. */
  append(event: Event, cause: Cause): EncodedDecision | undefined {
    return this.take([event], cause);
  }

  private take(events: readonly Event[], cause: Cause): EncodedDecision | undefined {
    for (const event of events) evolve(this.current, event);
    return this.encode(events, cause);
  }

  private encode(events: readonly Event[], cause: Cause): EncodedDecision | undefined {
    if (events.length === 0) return undefined;
    const stored: NewEvent[] = [];
    let bytes = 0;
    let { hash } = this;
    for (const event of events) {
      const context = { id: this.newId(), previousHash: hash, term: this.current.term.number, ...cause };
      const encoded = encodeEvent(event, context);
      checkBytes(event.type, encoded.bytes, trackerLimits.eventBytesMax);
      stored.push(encoded.stored);
      bytes += encoded.bytes;
      ({ hash } = encoded);
    }
    checkBytes('a decision', bytes, trackerLimits.groupBytesMax);
    this.hash = hash;
    return { events, stored, bytes, hash };
  }
}

/** Inputs are bounded so that this cannot happen. */
class DecisionTooLarge extends Error {
  override readonly name = 'DecisionTooLarge';
}

const checkBytes = (what: string, bytes: number, bytesMax: number): void => {
  if (bytes > bytesMax) throw new DecisionTooLarge(`${what} has ${bytes} bytes of ${bytesMax}`);
};
