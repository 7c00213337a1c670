import { invariant } from '../invariant.js';

/** Zero for an item and itself alone. */
type Compare<T> = (one: T, other: T) => number;

interface Page<T> {
  /** In order. Of a page that has pages below: the first item of each. */
  items: T[];
  /** Undefined in the lowest pages. */
  children: Page<T>[] | undefined;
  /** Of all items from here down. */
  count: number;
  /** Of all items from here down. */
  weightMin: number;
}

const entriesMax = 32;
const entriesMin = 8;

/**
 * Items in order, each with a weight. What it is for is to find the first item from some place on that is light enough, without
 * looking at those that are too heavy: every page knows the least weight below it. All single steps cost O(log n).
 *
 * A B+ tree, because it has a thirtieth of the objects of a binary one: for the collector, for memory, and for the processor, which
 * waits for each that is not in its cache. Order and weight of an item must not change while it is in.
 */
export class OrderedTree<T> {
  private root: Page<T> = { items: [], children: undefined, count: 0, weightMin: Infinity };

  constructor(
    private readonly compare: Compare<T>,
    private readonly weightOf: (item: T) => number = weightless,
  ) {}

  get count(): number {
    return this.root.count;
  }

  /** Infinite if it is empty. */
  get weightMin(): number {
    return this.root.weightMin;
  }

  insert(item: T): void {
    const { root } = this;
    const added = this.insertInto(root, item, this.weightOf(item));
    if (!added) return;
    this.root = this.summed({
      items: firstOf([root, added]),
      children: [root, added],
      count: 0,
      weightMin: 0,
    });
  }

  /** @returns whether it was there */
  remove(item: T): boolean {
    const wasThere = this.removeFrom(this.root, item, this.weightOf(item));
    const { children } = this.root;
    if (children?.length === 1 && children[0]) this.root = children[0];
    return wasThere;
  }

  /** The first item that weighs no more than `weightMax`. */
  first(weightMax = Infinity): T | undefined {
    return weightMax === Infinity ? this.root.items[0] : this.firstIn(this.root, weightMax);
  }

  /** The first item after this one, which need not be in, that weighs no more than `weightMax`. */
  firstAfter(item: T, weightMax = Infinity): T | undefined {
    return this.firstAfterIn(this.root, item, weightMax);
  }

  /** How many items at the beginning have a property that no later one has. */
  countWhile(has: (item: T) => boolean): number {
    let count = 0;
    let page: Page<T> | undefined = this.root;
    while (page) {
      const { items, children }: Page<T> = page;
      let entries = 0;
      for (let end = items.length; entries < end;) {
        const middle = (entries + end) >> 1;
        if (has(items[middle] as T)) entries = middle + 1;
        else end = middle;
      }
      if (!children) return count + entries;
      // Whether the last child of those is to be counted as a whole is for its own items to say.
      for (let index = 0; index < entries - 1; index += 1) count += children[index]?.count ?? 0;
      page = children[entries - 1];
    }
    return count;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return itemsOf(this.root);
  }

  private firstIn(from: Page<T>, weightMax: number): T | undefined {
    let page: Page<T> | undefined = from;
    while (page && page.weightMin <= weightMax) {
      const { items, children }: Page<T> = page;
      if (!children) return this.lightFrom(items, 0, weightMax);
      page = children[lightChild(children, 0, weightMax)];
    }
    return undefined;
  }

  private firstAfterIn(page: Page<T>, item: T, weightMax: number): T | undefined {
    if (page.weightMin > weightMax) return undefined;
    const { items, children } = page;
    const after = this.countUpTo(items, item);
    if (!children) return this.lightFrom(items, after, weightMax);
    const child = children[after - 1];
    const found = child && this.firstAfterIn(child, item, weightMax);
    if (found !== undefined) return found;
    const next = children[lightChild(children, after, weightMax)];
    return next && this.firstIn(next, weightMax);
  }

  private lightFrom(items: readonly T[], from: number, weightMax: number): T | undefined {
    for (let index = from; index < items.length; index += 1) {
      const item = items[index] as T;
      if (this.weightOf(item) <= weightMax) return item;
    }
    return undefined;
  }

  /** How many entries there are up to this item. */
  private countUpTo(items: readonly T[], item: T): number {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(items[middle] as T, item) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @returns the page that belongs after this one, if it had to be parted */
  private insertInto(page: Page<T>, item: T, weight: number): Page<T> | undefined {
    const { items, children } = page;
    const place = this.countUpTo(items, item);
    page.count += 1;
    if (weight < page.weightMin) page.weightMin = weight;
    if (!children) {
      insertAt(items, place, item);
    } else {
      const index = place === 0 ? 0 : place - 1;
      const child = children[index];
      invariant(child, 'a page has as many children as items');
      const added = this.insertInto(child, item, weight);
      items[index] = child.items[0] as T;
      if (added) {
        insertAt(items, index + 1, added.items[0] as T);
        insertAt(children, index + 1, added);
      }
    }
    return items.length > entriesMax ? this.parted(page) : undefined;
  }

  private removeFrom(page: Page<T>, item: T, weight: number): boolean {
    const { items, children } = page;
    const index = this.countUpTo(items, item) - 1;
    if (index < 0) return false;
    if (!children) {
      if (this.compare(items[index] as T, item) !== 0) return false;
      removeAt(items, index);
    } else {
      const child = children[index];
      invariant(child, 'a page has as many children as items');
      if (!this.removeFrom(child, item, weight)) return false;
      if (child.items.length < entriesMin) this.joinWithNext(page, children, index > 0 ? index - 1 : 0);
      else items[index] = child.items[0] as T;
    }
    page.count -= 1;
    if (weight <= page.weightMin) page.weightMin = this.leastWeight(page, weight);
    return true;
  }

  /** The second half of the page, taken from it. */
  private parted(page: Page<T>): Page<T> {
    const half = page.items.length >> 1;
    const items = page.items.splice(half);
    const children = page.children?.splice(half);
    this.summed(page);
    return this.summed({ items, children, count: 0, weightMin: 0 });
  }

  /** Makes one of two children that stand side by side, or two that are equally full. */
  private joinWithNext(page: Page<T>, children: Page<T>[], index: number): void {
    const child = children[index];
    const next = children[index + 1];
    invariant(child && next, 'only the root may have a single child');
    child.items.push(...next.items);
    if (child.children && next.children) child.children.push(...next.children);
    this.summed(child);
    page.items[index] = child.items[0] as T;
    if (child.items.length > entriesMax) {
      const added = this.parted(child);
      children[index + 1] = added;
      page.items[index + 1] = added.items[0] as T;
    } else {
      removeAt(children, index + 1);
      removeAt(page.items, index + 1);
    }
  }

  private summed(page: Page<T>): Page<T> {
    const { items, children } = page;
    page.count = children ? children.reduce((sum, { count }) => sum + count, 0) : items.length;
    page.weightMin = this.leastWeight(page, -Infinity);
    return page;
  }

  /** It is known not to be less than `enough`. */
  private leastWeight({ items, children }: Page<T>, enough: number): number {
    let least = Infinity;
    for (let index = 0; index < items.length && least > enough; index += 1) {
      const weight = children ? (children[index]?.weightMin ?? Infinity) : this.weightOf(items[index] as T);
      if (weight < least) least = weight;
    }
    return least;
  }
}

const weightless = (): number => 0;

const firstOf = <T>(pages: readonly Page<T>[]): T[] => pages.map(({ items }) => items[0] as T);

const lightChild = (children: readonly Page<unknown>[], from: number, weightMax: number): number => {
  let index = from;
  while (index < children.length && (children[index]?.weightMin ?? 0) > weightMax) index += 1;
  return index;
};

function* itemsOf<T>({ items, children }: Page<T>): IterableIterator<T> {
  if (children) for (const child of children) yield* itemsOf(child);
  else yield* items;
}

// Splicing would do, but makes an array of what it removed each time; the pages are short.
const insertAt = <T>(entries: T[], place: number, entry: T): void => {
  entries.push(entry);
  for (let index = entries.length - 1; index > place; index -= 1) entries[index] = entries[index - 1] as T;
  entries[place] = entry;
};

const removeAt = (entries: unknown[], place: number): void => {
  for (let index = place + 1; index < entries.length; index += 1) entries[index - 1] = entries[index];
  entries.pop();
};
