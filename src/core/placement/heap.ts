/** Items of which only the first in order is looked at: a binary heap. */
export class Heap<T> {
  private readonly items: T[] = [];

  constructor(private readonly isBefore: (one: T, other: T) => boolean) {}

  get first(): T | undefined {
    return this.items[0];
  }

  add(item: T): void {
    const { items } = this;
    let place = items.length;
    items.push(item);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = items[above];
      if (other === undefined || !this.isBefore(item, other)) break;
      items[place] = other;
      place = above;
    }
    items[place] = item;
  }

  removeFirst(): void {
    const last = this.items.pop();
    if (last !== undefined && this.items.length > 0) this.sink(last);
  }

  /** To be called when the first item changed so that it may be the first no more. */
  reorderFirst(): void {
    const { first } = this;
    if (first !== undefined) this.sink(first);
  }

  /** Puts the item in the place of the first one, or as far below as it belongs. */
  private sink(item: T): void {
    const { items } = this;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      let next = items[left];
      if (next === undefined) break;
      const right = items[left + 1];
      const isRight = right !== undefined && this.isBefore(right, next);
      if (isRight) next = right;
      if (!this.isBefore(next, item)) break;
      items[place] = next;
      place = isRight ? left + 1 : left;
    }
    items[place] = item;
  }
}
