import type { Attempt } from '../../src/core/job/attempt.js';
import { isLive, liveAttemptOf, type LiveJob } from '../../src/core/job/job.js';
import type { Requirement } from '../../src/core/job/requirement.js';
import type { Node } from '../../src/core/node/node.js';
import { Restoring } from '../../src/core/tracker/restoring.js';
import type { SnapshotRecord } from '../../src/core/tracker/snapshot-records.js';
import { snapshotOf } from '../../src/core/tracker/snapshot.js';
import type { TrackerState } from '../../src/core/tracker/state.js';

/** The records of the state as they come back from a store. */
export const storedRecords = (state: TrackerState): SnapshotRecord[] =>
  JSON.parse(JSON.stringify([...snapshotOf(state)])) as SnapshotRecord[];

/** States made of the records. */
export const restored = (records: Iterable<SnapshotRecord>, count = 1): TrackerState[] => {
  const restoring = new Restoring(count);
  for (const record of records) restoring.add(record);
  return restoring.finish();
};

/** One state, restored from a snapshot of this one. */
export const restoredFrom = (state: TrackerState): TrackerState => {
  const [copy] = restored(storedRecords(state));
  if (!copy) throw new Error('one state was asked for');
  return copy;
};

/**
 * All that a state says, its indices included, in the order in which it has it: so that two states can be compared. How an index
 * is built inside depends on its history, so it is asked instead.
 */
export const plainState = (state: TrackerState) => {
  const { revision, at, clusterId, term, settings, lastFencingToken, forgottenRevision } = state;
  return {
    scalars: { revision, at, clusterId, term, settings, lastFencingToken, forgottenRevision },
    jobs: [...state.jobs.values()],
    nodes: [...state.nodes.values()].map(plainNode),
    fixedReservations: [...state.fixedReservations],
    finished: [...state.finished],
    waiting: plainWaiting(state),
    requirements: usesOf(state).map(([key, { count }]) => [key, count]),
    pools: usesOf(state).map(([key, { requirement }]) => [key, plainPool(state, requirement)]),
    formerOffers: [...state.placeable.formerOffers],
  };
};

const plainNode = (node: Node) => ({
  ...node,
  attempts: [...node.attempts],
  orphans: [...node.orphans],
  lateReported: [...node.lateReported],
  inDoubt: [...node.inDoubt],
});

const plainWaiting = ({ waiting, nodes }: TrackerState) => ({
  count: waiting.count,
  totalSize: waiting.totalSize,
  open: [...waiting.open].map(({ requirement, jobs }) => [requirement.key, idsOf(jobs)]).sort(),
  bound: [...nodes.keys()].map((id) => [
    id,
    idsOf(waiting.inQueueOf(id)),
    waiting.sizeInQueueOf(id),
    waiting.firstInQueueOf(id)?.id,
  ]),
});

const idsOf = (jobs: Iterable<LiveJob>): string => [...jobs].map(({ id }) => id).join();

type Uses = ReadonlyMap<string, { readonly requirement: Requirement; readonly count: number }>;

/** How often each requirement is in use, which nothing but a leak would ever show. */
const usesOf = ({ requirements }: TrackerState) =>
  [...(Reflect.get(requirements, 'uses') as Uses)].sort(([one], [other]) => (one < other ? -1 : 1));

const plainPool = ({ placeable }: TrackerState, requirement: Requirement) => {
  const { classes, byFree, absent } = placeable.poolOf(requirement);
  const plain = (filed: Iterable<{ readonly node: Node }>) =>
    [...filed].map(({ node, ...file }) => ({ ...file, node: node.id }));
  return {
    byFree: plain(byFree),
    absent: plain(absent),
    classes: classes.map(({ capacity, presentCount, withRoom }) => ({
      capacity,
      presentCount,
      withRoom: plain(withRoom),
    })),
  };
};

/** Objects that a state reaches in two ways, and may change by one of them: each pair must be the same object. */
export const sameObjects = (state: TrackerState): (readonly [unknown, unknown])[] => [
  ...[...state.jobs.values()]
    .filter(isLive)
    .flatMap((job) => [
      [liveAttemptOf(job), attemptOnNode(state, liveAttemptOf(job))] as const,
      [job.requirement, usesOf(state).find(([key]) => key === job.requirement.key)?.[1].requirement] as const,
    ]),
  ...[...state.finished].map((job) => [job, state.jobs.get(job.id)] as const),
];

const attemptOnNode = (state: TrackerState, attempt: Attempt | undefined): Attempt | undefined => {
  const node = attempt && state.nodes.get(attempt.nodeId);
  return attempt && (node?.attempts.get(attempt.fencingToken) ?? node?.inDoubt.get(attempt.fencingToken));
};
