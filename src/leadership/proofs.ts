/** A place in the order in which things happened in this process. */
export type Moment = number;

/**
 * What is known of our leadership: since when it was last seen that nobody else had written (P2, P3). A proof counts from when
 * it was asked for, not from when the answer came.
 */
export class Proofs {
  private moment: Moment = 0;
  private provenMoment: Moment = 0;
  private provenAtMs = -Infinity;

  constructor(
    private readonly now: () => number,
    private readonly onProven: () => void = () => undefined,
  ) {}

  /** Now, in the order of things: later than every moment before. */
  mark(): Moment {
    this.moment += 1;
    return this.moment;
  }

  /** Asks for a proof. Whoever gets the answer tells it by the function returned. */
  ask(): () => void {
    const moment = this.mark();
    const atMs = this.now();
    return () => {
      this.provenMoment = Math.max(this.provenMoment, moment);
      this.provenAtMs = Math.max(this.provenAtMs, atMs);
      this.onProven();
    };
  }

  /** Whether we were seen to lead by a proof that was asked for after this moment. */
  covers(moment: Moment): boolean {
    return this.provenMoment > moment;
  }

  /** Of the newest proof, in milliseconds; infinite if there is none. */
  ageMs(): number {
    return this.now() - this.provenAtMs;
  }
}
