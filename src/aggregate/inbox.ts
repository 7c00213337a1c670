/** A bounded queue: who comes when it is full is told so at once, and nothing is dropped (P12). */
export class Inbox<T extends { readonly bytes: number }> {
  private items: T[] = [];
  private first = 0;
  private bytes = 0;

  constructor(
    private readonly countMax: number,
    private readonly bytesMax = Infinity,
  ) {}

  get count(): number {
    return this.items.length - this.first;
  }

  /** @returns false if it is full. One that is larger than the bound is taken by an empty queue. */
  offer(item: T): boolean {
    const isFull = this.count >= this.countMax || (this.count > 0 && this.bytes + item.bytes > this.bytesMax);
    if (isFull) return false;
    this.items.push(item);
    this.bytes += item.bytes;
    return true;
  }

  /** Puts back at the front what was taken. */
  putBack(item: T): void {
    if (this.first > 0) this.items[(this.first -= 1)] = item;
    else this.items.unshift(item);
    this.bytes += item.bytes;
  }

  take(): T | undefined {
    const item = this.items[this.first];
    if (item === undefined) return undefined;
    this.first += 1;
    this.bytes -= item.bytes;
    // What was taken is let go of, and on average each item is moved once.
    if (this.first * 2 > this.items.length) {
      this.items = this.items.slice(this.first);
      this.first = 0;
    }
    return item;
  }

  takeAll(): readonly T[] {
    const all = this.items.slice(this.first);
    this.items = [];
    this.first = 0;
    this.bytes = 0;
    return all;
  }
}
