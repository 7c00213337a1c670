import type { Revision } from '../core/ids.js';
import type { Moment, Proofs } from '../leadership/proofs.js';

/** Something that leaves the tracker: an answer, or word of what became durable. */
export interface Output {
  /** Everything up to here must be durable before it may leave. */
  readonly revision: Revision;
  /** When it was decided: a proof of leadership must have been asked for after that. */
  readonly moment: Moment;
  readonly deliver: () => void;
  /** Instead of `deliver`, if the term ends first. */
  readonly drop: (fate: Fate) => void;
}

/**
 * What became of that on which a dropped output was decided: it is in the log, though we may not have led any more; it will
 * never be; or nobody knows.
 */
export type Fate = 'durable' | 'lost' | 'unknown';

/**
 * The one way out (P2). Outputs leave in the order in which they were decided, each once everything it was decided on is
 * durable and we are proven to have led after that.
 */
export class Outputs {
  private waiting: Output[] = [];
  private first = 0;

  constructor(private readonly proofs: Proofs) {}

  get isEmpty(): boolean {
    return this.first === this.waiting.length;
  }

  add(output: Output): void {
    this.waiting.push(output);
  }

  /** Lets go what may go. */
  release(durableRevision: Revision): void {
    for (let next = this.next; next; next = this.next) {
      if (next.revision > durableRevision || !this.proofs.covers(next.moment)) return;
      this.takeFirst();
      next.deliver();
    }
    this.waiting = [];
    this.first = 0;
  }

  /** Whether something waits for nothing but a proof that nobody has asked for yet. */
  needsProof(durableRevision: Revision): boolean {
    const { next } = this;
    return next !== undefined && next.revision <= durableRevision && !this.proofs.covers(next.moment);
  }

  dropAll(durableRevision: Revision, fateOfRest: Fate): void {
    const dropped = this.waiting.slice(this.first);
    this.waiting = [];
    this.first = 0;
    for (const output of dropped) output.drop(output.revision <= durableRevision ? 'durable' : fateOfRest);
  }

  private get next(): Output | undefined {
    return this.waiting[this.first];
  }

  private takeFirst(): void {
    this.first += 1;
    if (this.first < 1_024 || this.first * 2 < this.waiting.length) return;
    this.waiting = this.waiting.slice(this.first);
    this.first = 0;
  }
}
