/** Tells those who follow the log that it has grown. Holds no events: a follower reads what it missed. */
export class LogPulse {
  private readonly waiting = new Set<() => void>();
  private isClosed = false;

  beat(): void {
    const woken = [...this.waiting];
    this.waiting.clear();
    for (const wake of woken) wake();
  }

  close(): void {
    this.isClosed = true;
    this.beat();
  }

  /** Resolves at the next beat, when the signal aborts, or at once if the log is closed: true as long as it is open. */
  async next(signal: AbortSignal): Promise<boolean> {
    if (this.isClosed || signal.aborted) return false;
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        this.waiting.delete(wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
    return this.isOpen(signal);
  }

  private isOpen(signal: AbortSignal): boolean {
    return !this.isClosed && !signal.aborted;
  }
}
