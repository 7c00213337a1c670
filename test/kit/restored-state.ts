import { expect } from '@jest/globals';
import type { JobId, NodeId } from '../../src/core/ids.js';
import type { LiveJob } from '../../src/core/job/job.js';
import type { Node } from '../../src/core/node/node.js';
import type { PolicyName } from '../../src/core/tracker/settings.js';
import type { TrackerState } from '../../src/core/tracker/state.js';
import { attemptStarted, jobAccepted, jobPlaced, nodeJoined, type EventPattern } from './event-patterns.js';
import { givenWith, type nextTerm, type passing } from './given.js';
import { plainState, restoredFrom, sameObjects, storedRecords } from './plain-state.js';

type Past = EventPattern | ReturnType<typeof passing | typeof nextTerm>;

/** What a state may have: after what it has it, and how it is seen there. */
export type Having = readonly [
  what: string,
  past: readonly Past[],
  of: (state: TrackerState) => unknown,
  has: unknown,
];

export const placed = [nodeJoined('node-a'), jobAccepted('job-1'), jobPlaced('job-1', 'node-a')];
export const running = [...placed, attemptStarted('job-1')];

export const jobIn = (state: TrackerState, id = 'job-1'): LiveJob | undefined => state.liveJob(id as JobId);
export const nodeIn = (state: TrackerState, id = 'node-a'): Node | undefined => state.nodes.get(id as NodeId);

/** The state has it, and so has the one that is restored from its snapshot. */
export const expectRestored = ([, past, of, has]: Having, policy: PolicyName = 'late-binding'): void => {
  const { state } = givenWith({ policy })(...past).when().driver;
  expect({ has: of(state) }).toMatchObject({ has });
  const copy = restoredFrom(state);
  expect(plainState(copy)).toStrictEqual(plainState(state));
  for (const [one, other] of sameObjects(copy)) expect(one).toBe(other);
  expect(storedRecords(copy)).toEqual(storedRecords(state));
};
