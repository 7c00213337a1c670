import { invariant } from '../invariant.js';
import { unbindAll } from './binding.js';
import type { TermEnded, TermStarted } from './event.js';
import type { TrackerState } from './state.js';

export const onTermStarted = (state: TrackerState, event: TermStarted): void => {
  const { term, leader, settings, at } = event;
  invariant(term === state.term.number + 1, `term ${term} follows term ${state.term.number}`);
  state.term = { number: term, leader, startedAt: at, isOpen: true };
  state.settings = settings;
  // What the nodes did while nobody led is not known (P19). A lost node has nothing left to be unsure of.
  for (const node of state.nodes.values()) {
    if (node.status !== 'ready' && node.status !== 'unreachable') continue;
    node.status = 'unheard';
    node.statusSince = at;
    state.placeable.update(node);
  }
  if (settings.policy !== 'early-binding') unbindAll(state);
};

export const onTermEnded = (state: TrackerState, { term }: TermEnded): void => {
  invariant(term === state.term.number, `term ${term} ends in term ${state.term.number}`);
  state.term = { ...state.term, isOpen: false };
};
