import { PlacementWalk } from './placement-walk.js';
import type { Policy } from './policy.js';

/** A job gets a node when it starts, not when it arrives: the first in order that can start, or can be helped to, is next. */
export const lateBinding: Policy = (state, now) => new PlacementWalk(state, now).next();
