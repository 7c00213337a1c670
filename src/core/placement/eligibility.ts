import { limits } from '../limits.js';
import type { Node } from '../node/node.js';

/** Whether the node may get jobs at all, room aside: it is heard, nobody forbade it, and it can list one attempt more. */
export const isEligible = (node: Node): boolean =>
  node.status === 'ready' &&
  node.cordon === 'none' &&
  node.attempts.size + node.orphans.size < limits.attemptsPerNodeMax;

/** Whether it is here to stay: what is merely cordoned, or at its limit of attempts, is. */
export const isPresent = (node: Node): boolean => node.status === 'ready' && node.cordon !== 'draining';
