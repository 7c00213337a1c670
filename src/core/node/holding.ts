import type { FencingToken } from '../ids.js';
import type { Attempt, Orphan } from '../job/attempt.js';
import { heldBy, type Node } from './node.js';

/** The node holds the attempt from here on. */
export const hold = (node: Node, attempt: Attempt): void => {
  node.attempts.set(attempt.fencingToken, attempt);
  node.held += attempt.size;
  if (attempt.fencingToken > node.newestToken) node.newestToken = attempt.fencingToken;
};

export const holdOrphan = (node: Node, orphan: Orphan): void => {
  node.orphans.set(orphan.fencingToken, orphan);
  node.held += orphan.size;
};

/** The node holds the attempt no more, whether it counted or not. */
export const release = (node: Node, token: FencingToken): void => {
  const held = node.attempts.get(token) ?? node.orphans.get(token);
  if (!held) return;
  node.attempts.delete(token);
  node.orphans.delete(token);
  // A sum that is too large to be exact is more than any capacity; what is left of it may be counted exactly again.
  node.held = Number.isSafeInteger(node.held) ? node.held - held.size : heldBy(node);
};

/** The node holds nothing any more. */
export const releaseAll = (node: Node): void => {
  node.attempts.clear();
  node.orphans.clear();
  node.held = 0;
};
