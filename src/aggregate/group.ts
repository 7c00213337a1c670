import type { Event } from '../core/tracker/event.js';
import type { NewEvent } from '../event-store/event-store.js';
import { trackerLimits } from './limits.js';

/** A decision as it will be stored. */
export interface EncodedDecision {
  readonly events: readonly Event[];
  readonly stored: readonly NewEvent[];
  /** As the store counts them. */
  readonly bytes: number;
  /** Of the chain, after the last of its events. */
  readonly hash: string;
}

/** Decisions that leave together, in one append (group commit). A decision is never cut (P11). */
export class Group {
  readonly events: Event[] = [];
  readonly stored: NewEvent[] = [];
  private bytes = 0;

  /** Of the chain, after its last event. */
  hash = '';

  get isEmpty(): boolean {
    return this.events.length === 0;
  }

  hasRoomFor(decision: EncodedDecision): boolean {
    return (
      this.bytes + decision.bytes <= trackerLimits.groupBytesMax &&
      this.events.length + decision.events.length <= trackerLimits.groupEventsMax
    );
  }

  add({ events, stored, bytes, hash }: EncodedDecision): void {
    this.events.push(...events);
    this.stored.push(...stored);
    this.bytes += bytes;
    this.hash = hash;
  }
}
