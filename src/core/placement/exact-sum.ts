const unit = 2 ** 26;

/**
 * The sum of sizes that come and go, where the sum may pass 2^53. It depends on the sizes alone and not on the order in which
 * they came and went, as a sum in one number would, so that a state built from a snapshot has the same.
 */
export class ExactSum {
  private high = 0;
  private low = 0;

  get value(): number {
    return this.high * unit + this.low;
  }

  add(size: number): void {
    this.change(size, 1);
  }

  subtract(size: number): void {
    this.change(size, -1);
  }

  private change(size: number, sign: 1 | -1): void {
    const high = Math.floor(size / unit);
    this.high += sign * high;
    this.low += sign * (size - high * unit);
  }
}
