import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Instant } from '../../src/core/instant.js';
import type { TrackerState } from '../../src/core/tracker/state.js';
import { CoreDriver } from '../kit/core-driver.js';
import { plainState, restored, sameObjects, storedRecords } from '../kit/plain-state.js';
import { historyStep, takeStep } from '../kit/tracker-history.js';

/** So short that histories of some minutes see all of them pass. */
const settings = {
  oversizedAfterMs: 10_000,
  awayNodeCountsMs: 60_000,
  graceMs: 5_000,
  reservationFixedAfterMs: 120_000,
  reservationFixedAfterMaxMs: 300_000,
  finishedKeptMs: 100_000,
  awayNodeKeptMs: 300_000,
};

const goingOnFrom = (state: TrackerState, now: Instant): CoreDriver =>
  Object.assign(new CoreDriver(), { state, now, decisions: [] });

test('whatever a state went through, the ones from its snapshot are equal to it, decide as it does, and are their own', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('late-binding', 'early-binding'),
      fc.array(historyStep, { maxLength: 120, size: 'max' }),
      fc.array(historyStep, { maxLength: 60, size: 'max' }),
      (policy, before, after) => {
        const original = new CoreDriver({ ...settings, policy });
        for (const step of before) takeStep(original, step);
        const [copy, bystander] = restored(storedRecords(original.state), 2) as [TrackerState, TrackerState];
        const atFirst = structuredClone(plainState(original.state));
        expect(plainState(copy)).toStrictEqual(atFirst);
        for (const [one, other] of sameObjects(copy)) expect(one).toBe(other);

        const decidedBefore = original.events.length;
        const further = goingOnFrom(copy, original.now);
        for (const step of after) {
          takeStep(original, step);
          takeStep(further, step);
        }
        expect(further.events).toEqual(original.events.slice(decidedBefore));
        expect(plainState(copy)).toStrictEqual(plainState(original.state));
        expect(plainState(bystander)).toStrictEqual(atFirst);
      },
    ),
    { numRuns: 300 },
  );
});
