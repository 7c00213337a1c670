import type { NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import type { Node } from '../node/node.js';
import { OrderedTree } from './ordered-tree.js';

/** A node as it was when it was filed last; the node itself changes first and is filed anew then. */
export interface FiledNode {
  readonly id: NodeId;
  readonly node: Node;
  /** Its place among all nodes by id. Compared much faster than ids, and by ids most ties are broken. */
  place: number;
  capacity: number;
  held: number;
  newestToken: number;
  isEligible: boolean;
  isPresent: boolean;
  /** If it is not present: since when it is draining, or else away. */
  absentSince: Instant;
}

/** The present nodes of one capacity. */
export interface CapacityClass {
  readonly capacity: number;
  /** The eligible ones that are not full, the one that holds least first; ties by id. */
  readonly withRoom: OrderedTree<FiledNode>;
  /** Of present nodes, eligible or not. */
  presentCount: number;
}

/** Most nodes of a busy cluster have none. */
const hasRoom = ({ held, capacity }: FiledNode): boolean => held < capacity;

const byHeld = (one: FiledNode, other: FiledNode): number => one.held - other.held || one.place - other.place;
const mostFreeFirst = (one: FiledNode, other: FiledNode): number =>
  other.capacity - other.held - (one.capacity - one.held) ||
  one.newestToken - other.newestToken ||
  one.place - other.place;
const latestAbsentFirst = (one: FiledNode, other: FiledNode): number =>
  other.absentSince - one.absentSince || one.place - other.place;

/**
 * The nodes that meet the same requirements. Of the nodes of one capacity the one that holds least is always the best, so a
 * search looks at one node of each capacity. There are few capacities, however many nodes.
 */
export class NodePool {
  /** Largest capacity first. */
  readonly classes: CapacityClass[] = [];
  /**
   * The eligible ones, the one with the most free room first; of equals the one that was given its newest attempt longest ago. The
   * roomier a node, the less it weighs.
   */
  readonly byFree = new OrderedTree<FiledNode>(mostFreeFirst, ({ capacity }) => -capacity);
  /** The nodes that are draining or away, the latest first. */
  readonly absent = new OrderedTree<FiledNode>(latestAbsentFirst);

  get hasEligible(): boolean {
    return this.byFree.count > 0;
  }

  file(node: FiledNode): void {
    if (!node.isPresent) {
      this.absent.insert(node);
      return;
    }
    const ofCapacity = this.classOf(node.capacity);
    ofCapacity.presentCount += 1;
    if (!node.isEligible) return;
    if (hasRoom(node)) ofCapacity.withRoom.insert(node);
    this.byFree.insert(node);
  }

  unfile(node: FiledNode): void {
    if (!node.isPresent) {
      this.absent.remove(node);
      return;
    }
    const ofCapacity = this.classOf(node.capacity);
    if (node.isEligible) {
      if (hasRoom(node)) ofCapacity.withRoom.remove(node);
      this.byFree.remove(node);
    }
    ofCapacity.presentCount -= 1;
    if (ofCapacity.presentCount === 0) this.classes.splice(this.classes.indexOf(ofCapacity), 1);
  }

  private classOf(capacity: number): CapacityClass {
    const { classes } = this;
    let low = 0;
    let high = classes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((classes[middle]?.capacity ?? 0) > capacity) low = middle + 1;
      else high = middle;
    }
    const known = classes[low];
    if (known?.capacity === capacity) return known;
    const added = { capacity, withRoom: new OrderedTree(byHeld), presentCount: 0 };
    classes.splice(low, 0, added);
    return added;
  }
}
