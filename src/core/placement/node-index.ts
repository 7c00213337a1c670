import type { NodeId } from '../ids.js';
import type { Instant } from '../instant.js';
import { meets, type Labels, type Offer, type Requirement } from '../job/requirement.js';
import type { FormerOffer, Node } from '../node/node.js';
import { isEligible, isPresent } from './eligibility.js';
import { NodePool, type FiledNode } from './node-pool.js';
import { OrderedTree } from './ordered-tree.js';

/** The known nodes that offer the same kinds and labels. Never empty. */
interface OfferGroup {
  readonly id: number;
  readonly key: string;
  readonly offer: Offer;
  readonly nodes: Set<FiledNode>;
  /** Of the pools in use, those that it is part of. */
  pools: NodePool[];
}

interface Entry {
  readonly filed: FiledNode;
  group: OfferGroup;
  kinds: readonly string[];
  labels: Labels;
  former: FormerWithNode | undefined;
}

/** What a node offered until it changed. */
interface FormerWithNode {
  readonly nodeId: NodeId;
  readonly offer: FormerOffer;
}

const latestFormerFirst = (one: FormerWithNode, other: FormerWithNode): number => {
  if (one.offer.until !== other.offer.until) return other.offer.until - one.offer.until;
  return one.nodeId < other.nodeId ? -1 : one.nodeId > other.nodeId ? 1 : 0;
};

/** Requirements may be many over the years; those whose pool is remembered are not more than this. */
const rememberedMax = 16_384;

/**
 * All known nodes, so filed that what a job needs to know of those that meet its requirement is found without looking at each.
 *
 * Nodes that offer the same form a group. Requirements that are met by the same groups share a *pool*, which is made when it is
 * first asked for. A node is filed in each pool of its group, so a change of a node costs O(log n) for each pool it is in. A
 * group that comes or goes, which is rare, lets go of all pools; they are made again when next asked for.
 */
export class NodeIndex {
  /** Offers that nodes have made and make no more, the latest first (P24). */
  readonly formerOffers = new OrderedTree<FormerWithNode>(latestFormerFirst);
  private readonly entries = new Map<NodeId, Entry>();
  /** By id. Nodes come and go rarely enough for the places of those behind to be counted anew. */
  private readonly inOrder: FiledNode[] = [];
  private readonly groups = new Map<string, OfferGroup>();
  private readonly poolsByRequirement = new Map<string, NodePool>();
  private readonly poolsByGroups = new Map<string, NodePool>();
  private lastGroupId = 0;

  /** Files the node as it is now. To be called after each change of it. */
  update(node: Node): void {
    const entry = this.entries.get(node.id);
    if (!entry) this.add(node);
    else if (offersTheSame(entry, node)) this.refile(entry, node);
    else {
      this.remove(node);
      this.add(node);
    }
    if (this.poolsByRequirement.size > rememberedMax) this.letGoOfPools();
  }

  /** The node is not known any more. */
  remove(node: Node): void {
    const entry = this.entries.get(node.id);
    if (!entry) return;
    this.entries.delete(node.id);
    this.fileFormer(entry, undefined);
    const { group, filed } = entry;
    for (const pool of group.pools) pool.unfile(filed);
    this.inOrder.splice(filed.place, 1);
    this.countPlaces(filed.place);
    group.nodes.delete(filed);
    if (group.nodes.size > 0) return;
    this.groups.delete(group.key);
    this.letGoOfPools();
  }

  /** The nodes that meet the requirement. Until a node changes, requirements met by the same nodes get the same pool. */
  poolOf(requirement: Requirement): NodePool {
    const known = this.poolsByRequirement.get(requirement.key);
    if (known) return known;
    const groups = [...this.groups.values()].filter(({ offer }) => meets(offer, requirement));
    const pool = this.poolOfGroups(groups);
    this.poolsByRequirement.set(requirement.key, pool);
    return pool;
  }

  /** The node, if it is eligible and meets the requirement. */
  eligible(id: NodeId, requirement: Requirement): FiledNode | undefined {
    const filed = this.entries.get(id)?.filed;
    return filed?.isEligible && meets(filed.node, requirement) ? filed : undefined;
  }

  private poolOfGroups(groups: readonly OfferGroup[]): NodePool {
    const key = groups.map(({ id }) => id).join();
    const known = this.poolsByGroups.get(key);
    if (known) return known;
    const pool = new NodePool();
    for (const group of groups) {
      group.pools.push(pool);
      for (const node of group.nodes) pool.file(node);
    }
    this.poolsByGroups.set(key, pool);
    return pool;
  }

  private add(node: Node): void {
    const { id, kinds, labels } = node;
    const filed: FiledNode = { id, node, place: this.placeOf(id), ...filing(node) };
    this.inOrder.splice(filed.place, 0, filed);
    this.countPlaces(filed.place + 1);
    const group = this.groupOf(node);
    const entry: Entry = { filed, group, kinds, labels, former: undefined };
    this.entries.set(id, entry);
    group.nodes.add(filed);
    for (const pool of group.pools) pool.file(filed);
    this.fileFormer(entry, node.former);
  }

  private refile(entry: Entry, node: Node): void {
    const { filed, group } = entry;
    for (const pool of group.pools) pool.unfile(filed);
    filed.capacity = node.capacity;
    filed.held = node.held;
    filed.newestToken = node.newestToken;
    filed.isEligible = isEligible(node);
    filed.isPresent = isPresent(node);
    filed.absentSince = absentSince(node);
    for (const pool of group.pools) pool.file(filed);
    if (entry.former?.offer !== node.former) this.fileFormer(entry, node.former);
  }

  /** Where a node of that id belongs among all nodes. */
  private placeOf(id: NodeId): number {
    let low = 0;
    let high = this.inOrder.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.inOrder[middle];
      if (other && other.id < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private countPlaces(from: number): void {
    for (let place = from; place < this.inOrder.length; place += 1) {
      const filed = this.inOrder[place];
      if (filed) filed.place = place;
    }
  }

  private fileFormer(entry: Entry, offer: FormerOffer | undefined): void {
    if (entry.former) this.formerOffers.remove(entry.former);
    entry.former = offer && { nodeId: entry.filed.id, offer };
    if (entry.former) this.formerOffers.insert(entry.former);
  }

  private groupOf({ kinds, labels }: Offer): OfferGroup {
    const key = keyOf({ kinds, labels });
    const known = this.groups.get(key);
    if (known) return known;
    this.lastGroupId += 1;
    const group = {
      id: this.lastGroupId,
      key,
      offer: { kinds, labels },
      nodes: new Set<FiledNode>(),
      pools: [],
    };
    this.groups.set(key, group);
    this.letGoOfPools();
    return group;
  }

  private letGoOfPools(): void {
    this.poolsByRequirement.clear();
    this.poolsByGroups.clear();
    for (const group of this.groups.values()) group.pools = [];
  }
}

/** A node that is heard again has its offer in new objects, most often with the same in them. */
const offersTheSame = (entry: Entry, { kinds, labels }: Node): boolean => {
  if (entry.kinds === kinds && entry.labels === labels) return true;
  if (entry.group.key !== keyOf({ kinds, labels })) return false;
  entry.kinds = kinds;
  entry.labels = labels;
  return true;
};

const keyOf = ({ kinds, labels }: Offer): string =>
  JSON.stringify([[...kinds].sort(), Object.entries(labels).sort(byName)]);

const byName = ([one]: [string, string], [other]: [string, string]): number => (one < other ? -1 : 1);

const filing = (node: Node): Omit<FiledNode, 'id' | 'node' | 'place'> => ({
  capacity: node.capacity,
  held: node.held,
  newestToken: node.newestToken,
  isEligible: isEligible(node),
  isPresent: isPresent(node),
  absentSince: absentSince(node),
});

const absentSince = (node: Node): Instant =>
  node.cordon === 'draining' ? node.cordonSince : node.statusSince;
