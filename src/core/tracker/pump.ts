import type { Instant } from '../instant.js';
import { policies } from '../placement/policies.js';
import type { Event } from './event.js';
import type { TrackerState } from './state.js';

/**
 * What can be done now without anybody asking: the next placement. It continues from the state alone (P10): fold it, and ask
 * again. Nothing is placed while nobody leads.
 */
export const pumpNext = (state: TrackerState, now: Instant): Event | undefined =>
  state.term.isOpen ? policies[state.settings.policy](state, now) : undefined;
