import { invariant } from '../invariant.js';
import { Restoring } from './restoring.js';
import { snapshotOf } from './snapshot.js';
import type { TrackerState } from './state.js';

/** A state that is equal, and has nothing in common with this one that is ever changed. */
export const copyOf = (state: TrackerState): TrackerState => {
  const restoring = new Restoring(1);
  for (const record of snapshotOf(state)) restoring.add(record);
  const [copy] = restoring.finish();
  invariant(copy, 'one state was asked for');
  return copy;
};
