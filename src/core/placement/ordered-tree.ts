/** Zero for an item and itself alone. */
type Compare<T> = (one: T, other: T) => number;

interface Branch<T> {
  item: T;
  left: Branch<T> | undefined;
  right: Branch<T> | undefined;
  /** Of items from here down. */
  count: number;
  /** Least of the items from here down. */
  weightMin: number;
}

/** A side may weigh so many times the other, counted in items and one more … */
const unevenMax = 3;
/** … and is rotated once if its inner part weighs less than so many times its outer one, twice otherwise. */
const innerMax = 2;

/**
 * Items in order, each with a weight. What it is for is to find the first item from some place on that is light enough, without
 * looking at those that are too heavy: every branch knows the least weight below it. All single steps cost O(log n).
 *
 * A weight-balanced tree (Hirai and Yamamoto, "Balancing weight-balanced trees"), because the counts it is balanced by are
 * needed anyway, and because, other than a treap, it needs no luck. Order and weight of an item must not change while it is in.
 */
export class OrderedTree<T> {
  private root: Branch<T> | undefined;
  private detached: Branch<T> | undefined;

  constructor(
    private readonly compare: Compare<T>,
    private readonly weightOf: (item: T) => number = weightless,
  ) {}

  get count(): number {
    return countOf(this.root);
  }

  /** Infinite if it is empty. */
  get weightMin(): number {
    return this.root ? this.root.weightMin : Infinity;
  }

  insert(item: T): void {
    this.root = this.with(this.root, item);
  }

  /** @returns whether it was there */
  remove(item: T): boolean {
    const before = this.count;
    this.root = this.without(this.root, item);
    return this.count < before;
  }

  /** The first item that weighs no more than `weightMax`. */
  first(weightMax = Infinity): T | undefined {
    return this.firstIn(this.root, weightMax);
  }

  /** The first item after this one, which need not be in, that weighs no more than `weightMax`. */
  firstAfter(item: T, weightMax = Infinity): T | undefined {
    return this.firstAfterIn(this.root, item, weightMax);
  }

  /** How many items at the beginning have a property that no later one has. */
  countWhile(has: (item: T) => boolean): number {
    let count = 0;
    let at = this.root;
    while (at) {
      if (has(at.item)) {
        count += countOf(at.left) + 1;
        at = at.right;
      } else {
        at = at.left;
      }
    }
    return count;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    const above: Branch<T>[] = [];
    let at = this.root;
    for (;;) {
      for (; at; at = at.left) above.push(at);
      const next = above.pop();
      if (!next) return;
      yield next.item;
      at = next.right;
    }
  }

  private firstIn(at: Branch<T> | undefined, weightMax: number): T | undefined {
    while (at && at.weightMin <= weightMax) {
      if (at.left && at.left.weightMin <= weightMax) at = at.left;
      else if (this.weightOf(at.item) <= weightMax) return at.item;
      else at = at.right;
    }
    return undefined;
  }

  private firstAfterIn(at: Branch<T> | undefined, item: T, weightMax: number): T | undefined {
    if (!at || at.weightMin > weightMax) return undefined;
    if (this.compare(item, at.item) >= 0) return this.firstAfterIn(at.right, item, weightMax);
    const found = this.firstAfterIn(at.left, item, weightMax);
    if (found !== undefined) return found;
    return this.weightOf(at.item) <= weightMax ? at.item : this.firstIn(at.right, weightMax);
  }

  private with(at: Branch<T> | undefined, item: T): Branch<T> {
    if (!at) return { item, left: undefined, right: undefined, count: 1, weightMin: this.weightOf(item) };
    if (this.compare(item, at.item) < 0) at.left = this.with(at.left, item);
    else at.right = this.with(at.right, item);
    return this.balanced(at);
  }

  private without(at: Branch<T> | undefined, item: T): Branch<T> | undefined {
    if (!at) return undefined;
    const order = this.compare(item, at.item);
    if (order === 0) return this.joined(at.left, at.right);
    if (order < 0) at.left = this.without(at.left, item);
    else at.right = this.without(at.right, item);
    return this.balanced(at);
  }

  /** One tree of two, all items of the one before all of the other. */
  private joined(left: Branch<T> | undefined, right: Branch<T> | undefined): Branch<T> | undefined {
    if (!left || !right) return left ?? right;
    const fromLeft = left.count > right.count;
    const rest = fromLeft ? this.withoutLast(left) : this.withoutFirst(right);
    const top = this.detached;
    if (!top) return rest;
    this.detached = undefined;
    top.left = fromLeft ? rest : left;
    top.right = fromLeft ? right : rest;
    return this.balanced(top);
  }

  private withoutFirst(at: Branch<T>): Branch<T> | undefined {
    if (at.left) {
      at.left = this.withoutFirst(at.left);
      return this.balanced(at);
    }
    this.detached = at;
    return at.right;
  }

  private withoutLast(at: Branch<T>): Branch<T> | undefined {
    if (at.right) {
      at.right = this.withoutLast(at.right);
      return this.balanced(at);
    }
    this.detached = at;
    return at.left;
  }

  /** The same items in balance, where one was added or taken below. */
  private balanced(at: Branch<T>): Branch<T> {
    const { left, right } = at;
    const leftWeight = countOf(left) + 1;
    const rightWeight = countOf(right) + 1;
    if (right && rightWeight > unevenMax * leftWeight) {
      const isInnerHeavy = countOf(right.left) + 1 >= innerMax * (countOf(right.right) + 1);
      if (isInnerHeavy) at.right = this.leftUp(right);
      return this.rightUp(at);
    }
    if (left && leftWeight > unevenMax * rightWeight) {
      const isInnerHeavy = countOf(left.right) + 1 >= innerMax * (countOf(left.left) + 1);
      if (isInnerHeavy) at.left = this.rightUp(left);
      return this.leftUp(at);
    }
    return this.summed(at);
  }

  private leftUp(at: Branch<T>): Branch<T> {
    const top = at.left;
    if (!top) return this.summed(at);
    at.left = top.right;
    top.right = this.summed(at);
    return this.summed(top);
  }

  private rightUp(at: Branch<T>): Branch<T> {
    const top = at.right;
    if (!top) return this.summed(at);
    at.right = top.left;
    top.left = this.summed(at);
    return this.summed(top);
  }

  private summed(at: Branch<T>): Branch<T> {
    const { left, right } = at;
    let count = 1;
    let weightMin = this.weightOf(at.item);
    if (left) {
      count += left.count;
      if (left.weightMin < weightMin) weightMin = left.weightMin;
    }
    if (right) {
      count += right.count;
      if (right.weightMin < weightMin) weightMin = right.weightMin;
    }
    at.count = count;
    at.weightMin = weightMin;
    return at;
  }
}

const countOf = (branch: Branch<unknown> | undefined): number => (branch ? branch.count : 0);

const weightless = (): number => 0;
