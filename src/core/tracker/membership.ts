import type { Instant } from '../instant.js';
import { holdsNothing } from '../node/node.js';
import type { FactAnswer, Integration } from './decision.js';
import type { Event } from './event.js';
import type { NodeFellSilent, NodeReturned, NodeSaidGoodbye } from './fact.js';
import type { TrackerState } from './state.js';

export const nothing: FactAnswer = { kind: 'nothing' };

export const implies = (...events: readonly Event[]): Integration => ({ events, answer: nothing });

/** A node that was silent within its session goes on where it was; one that was lost must say hello first. */
export const returned = (state: TrackerState, fact: NodeReturned, now: Instant): Integration => {
  const node = state.nodes.get(fact.nodeId);
  if (!node) return { events: [], answer: { kind: 'refused', reason: 'must-say-hello' } };
  if (node.incarnation !== fact.incarnation) {
    return { events: [], answer: { kind: 'refused', reason: 'incarnation-replaced' } };
  }
  if (node.status === 'ready') return implies();
  if (node.status !== 'unreachable')
    return { events: [], answer: { kind: 'refused', reason: 'must-say-hello' } };
  const { id: nodeId, incarnation, capacity, labels, kinds } = node;
  return implies({ type: 'NodeHeard', nodeId, incarnation, capacity, labels, kinds, at: now });
};

/** Unseen is not dead: only the longer silence puts attempts in doubt. */
export const silence = (state: TrackerState, fact: NodeFellSilent, now: Instant): Integration => {
  const node = state.nodes.get(fact.nodeId);
  if (node?.incarnation !== fact.incarnation) return implies();
  switch (fact.judgedAs) {
    case 'unreachable':
      return node.status === 'ready'
        ? implies({ type: 'NodeUnreachable', nodeId: node.id, at: now })
        : implies();
    case 'lost':
      return node.status === 'lost' || node.status === 'left'
        ? implies()
        : implies({ type: 'NodeLost', nodeId: node.id, at: now });
  }
};

export const goodbye = (state: TrackerState, fact: NodeSaidGoodbye, now: Instant): Integration => {
  const node = state.nodes.get(fact.nodeId);
  if (node?.incarnation !== fact.incarnation || node.status === 'lost' || node.status === 'left') {
    return implies();
  }
  // Who goes without handing back what it holds has to be taken for lost.
  const type = holdsNothing(node) ? 'NodeLeft' : 'NodeLost';
  return implies({ type, nodeId: node.id, at: now });
};
