/** Named signal between who has made work and who does it: raised any number of times, it wakes once. */
export class WakeUp {
  private isRaised = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.isRaised = true;
    this.wake?.();
    this.wake = undefined;
  }

  /** Resolves at once if it was raised since the last time. */
  async next(): Promise<void> {
    if (!this.isRaised) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.isRaised = false;
  }
}
