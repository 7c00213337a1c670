import type { CapacityClass, FiledNode, NodePool } from './node-pool.js';

/** Whether the node takes nothing now, or nothing of this job. */
export type IsTaken = (node: FiledNode) => boolean;

/** The node of this capacity that holds least and is not taken, if any has room. The taken ones are few. */
const leastHolding = ({ withRoom }: CapacityClass, isTaken: IsTaken): FiledNode | undefined => {
  let node = withRoom.first();
  while (node && isTaken(node)) node = withRoom.firstAfter(node);
  return node;
};

/**
 * Negative if the first load is the lower part of its capacity. Quotients are rounded, but never so that they change places, and
 * those of equal parts are equal; so what is left to settle are quotients that are equal although their parts are not.
 */
const compareLoad = (load: number, capacity: number, otherLoad: number, otherCapacity: number): number => {
  if (capacity === otherCapacity) return load - otherLoad;
  const difference = load / capacity - otherLoad / otherCapacity;
  if (difference !== 0) return difference;
  const one = load * otherCapacity;
  const other = otherLoad * capacity;
  if (one <= Number.MAX_SAFE_INTEGER && other <= Number.MAX_SAFE_INTEGER) return one - other;
  return Number(BigInt(load) * BigInt(otherCapacity) - BigInt(otherLoad) * BigInt(capacity));
};

const compareAfterPlacing = (one: FiledNode, other: FiledNode, size: number): number =>
  compareLoad(one.held + size, one.capacity, other.held + size, other.capacity);

/** The node the job goes to, and why. */
export interface Choice {
  readonly node: FiledNode;
  readonly rule: 'least-loaded' | 'preferred';
}

/**
 * Of the nodes with room for the job the one whose (load + size) / capacity is lowest after placing. Ties go to the preferred
 * node, then to the smaller id.
 */
export const leastLoaded = (
  pool: NodePool,
  size: number,
  preferred: FiledNode | undefined,
  isTaken: IsTaken,
): Choice | undefined => {
  let best: FiledNode | undefined;
  for (const ofCapacity of pool.classes) {
    // Largest capacity first: none of the others has room.
    if (ofCapacity.capacity < size) break;
    const node = leastHolding(ofCapacity, isTaken);
    if (!node || node.held + size > node.capacity) continue;
    const order = best ? compareAfterPlacing(node, best, size) : -1;
    if (order < 0 || (order === 0 && best && node.id < best.id)) best = node;
  }
  if (!best) return undefined;
  const isPreferred =
    preferred &&
    preferred !== best &&
    !isTaken(preferred) &&
    preferred.held + size <= preferred.capacity &&
    compareAfterPlacing(preferred, best, size) === 0;
  return isPreferred ? { node: preferred, rule: 'preferred' } : { node: best, rule: 'least-loaded' };
};

/** How many eligible nodes have room for the size, but for those that take nothing. */
export const candidateCount = (pool: NodePool, size: number, taken: Iterable<FiledNode>): number => {
  let count = 0;
  for (const { capacity, withRoom } of pool.classes) {
    if (capacity < size) break;
    count += withRoom.countWhile(({ held }) => held + size <= capacity);
  }
  for (const node of taken) if (node.held + size <= node.capacity) count -= 1;
  return count;
};

/** The largest free room on a node that is not taken; less than any size if there is none. */
export const largestFreeRoom = ({ byFree }: NodePool, isTaken: IsTaken): number => {
  let node = byFree.first();
  while (node && isTaken(node)) node = byFree.firstAfter(node);
  return node ? node.capacity - node.held : -1;
};

/**
 * Of the nodes that could hold the size the one with the most free room. Of equals the one that was given its newest attempt longest
 * ago: it gets none while it is kept for a job, so it goes on being the one, whatever comes and goes on the others.
 */
export const mostFree = ({ byFree }: NodePool, size: number, isTaken: IsTaken): FiledNode | undefined => {
  let node = byFree.first(-size);
  while (node && isTaken(node)) node = byFree.firstAfter(node, -size);
  return node;
};

/** The largest capacity of a node that is not taken; -1 if there is none. */
export const largestCapacity = (pool: NodePool, isTaken: IsTaken): number => {
  for (const { capacity } of pool.classes) if (mostFree(pool, capacity, isTaken)) return capacity;
  return -1;
};
