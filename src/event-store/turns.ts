/** Lets actions begin in the order they were asked for, each when the one before it passes on its turn or ends. */
export class Turns {
  private last: Promise<void> = Promise.resolve();

  async take<T>(action: (passOn: () => void) => Promise<T>): Promise<T> {
    const before = this.last;
    let passOn = (): void => undefined;
    this.last = new Promise((resolve) => {
      passOn = resolve;
    });
    await before;
    try {
      return await action(passOn);
    } finally {
      passOn();
    }
  }
}
