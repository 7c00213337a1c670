import fc from 'fast-check';
import type {
  ClusterId,
  FencingToken,
  Incarnation,
  JobId,
  NodeId,
  ServerId,
  Submitter,
} from '../../src/core/ids.js';
import type { AttemptEnd, AttemptError } from '../../src/core/job/attempt.js';
import type { Labels } from '../../src/core/job/requirement.js';
import type { JsonValue } from '../../src/core/json.js';
import type { PlacementReason } from '../../src/core/placement/placement-reason.js';
import type { Event } from '../../src/core/tracker/event.js';
import type { Settings } from '../../src/core/tracker/settings.js';

/** Any well-formed text, from every corner of Unicode. */
export const anyText = fc.string({ unit: 'binary', maxLength: 20 });

const idOf = <T extends string>(): fc.Arbitrary<T> =>
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => text as T);

const anyJobId = idOf<JobId>();
const anyNodeId = idOf<NodeId>();
const anySubmitter = idOf<Submitter>();
const anyIncarnation = idOf<Incarnation>();

const anyInstant = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const anyCount = fc.maxSafeNat();
const anyOrdinal = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const anyUnits = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
const anyToken = anyOrdinal.map((token) => token as FencingToken);
const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true });

/** As JSON.parse gives it: 0 has no sign, and `__proto__` is a key like any other. */
export const anyJson: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ stringUnit: 'binary' })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

/** The same, where -0 would not come back. */
const withoutNegativeZero = (value: number): number => (Object.is(value, -0) ? 0 : value);

const anyLabels: fc.Arbitrary<Labels> = fc
  .uniqueArray(fc.tuple(anyText, anyText), { selector: ([name]) => name, maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

const anyKinds = fc.array(anyText, { maxLength: 3 });

const anyAttemptError: fc.Arbitrary<AttemptError> = fc.record(
  { message: anyText, stack: anyText, exitCode: fc.integer() },
  { requiredKeys: ['message'] },
);

const anyAttemptEnd: fc.Arbitrary<AttemptEnd> = fc.oneof(
  fc.record({ reason: fc.constant('succeeded' as const), result: anyJson }, { requiredKeys: ['reason'] }),
  fc.record(
    { reason: fc.constantFrom('failed', 'timed-out'), error: anyAttemptError, outputTail: anyText },
    { requiredKeys: ['reason', 'error'] },
  ),
  fc.record(
    { reason: fc.constant('cancelled' as const), error: anyAttemptError, outputTail: anyText },
    { requiredKeys: ['reason'] },
  ),
  fc.record({ reason: fc.constantFrom('released', 'never-started', 'node-lost') }),
);

const anyPlacementReason: fc.Arbitrary<PlacementReason> = fc.record(
  {
    rule: fc.constantFrom('least-loaded', 'preferred', 'oversized', 'reserved', 'bound'),
    load: anyUnits.map(withoutNegativeZero),
    capacity: anyCount,
    candidateCount: anyCount,
    estimatedRunMs: anyCount,
  },
  { requiredKeys: ['rule', 'load', 'capacity', 'candidateCount'] },
);

const anySettings: fc.Arbitrary<Settings> = fc.record({
  policy: fc.constantFrom('late-binding', 'early-binding'),
  ageingMs: anyCount,
  oversizedAfterMs: anyCount,
  awayNodeCountsMs: anyCount,
  graceMs: anyCount,
  reservationFixedAfterMs: anyCount,
  reservationFixedAfterMaxMs: anyCount,
  finishedKeptMs: anyCount,
  finishedKeptMax: anyCount,
  awayNodeKeptMs: anyCount,
  waitingJobsMax: anyCount,
  progressIntervalMs: anyCount,
});

type EventOf<T extends Event['type']> = Extract<Event, { readonly type: T }>;
type Fields<T extends Event['type']> = Omit<EventOf<T>, 'type'>;

const aboutNode = { nodeId: anyNodeId, at: anyInstant };
const aboutAttempt = { jobId: anyJobId, attempt: anyOrdinal, at: anyInstant };
const described = {
  ...aboutNode,
  incarnation: anyIncarnation,
  capacity: anyCount,
  labels: anyLabels,
  kinds: anyKinds,
};
const late = { ...aboutAttempt, nodeId: anyNodeId, fencingToken: anyToken };
const cordoned = fc.record(
  { ...aboutNode, by: anySubmitter, reason: anyText },
  { requiredKeys: ['nodeId', 'at', 'by'] },
);

/** One for each event there is; a new event does not compile until it has one. */
const fields: { readonly [T in Event['type']]: fc.Arbitrary<Fields<T>> } = {
  ClusterCreated: fc.record({ clusterId: idOf<ClusterId>(), at: anyInstant }),
  TermStarted: fc.record({
    term: anyOrdinal,
    leader: idOf<ServerId>(),
    settings: anySettings,
    at: anyInstant,
  }),
  TermEnded: fc.record({ term: anyOrdinal, at: anyInstant }),
  ClockStepped: fc.record({ byMs: anyCount, at: anyInstant }),
  JobAccepted: fc.record(
    {
      jobId: anyJobId,
      submitter: anySubmitter,
      contentHash: fc.string({ minLength: 43, maxLength: 43 }),
      kind: anyText,
      size: anyOrdinal,
      priority: fc.integer({ min: -100, max: 100 }),
      name: anyText,
      requiredLabels: anyLabels,
      preferredNode: anyNodeId,
      estimatedRunMs: anyCount,
      exclusive: fc.constant(true as const),
      tags: anyLabels,
      payload: anyJson,
      at: anyInstant,
    },
    { requiredKeys: ['jobId', 'submitter', 'contentHash', 'kind', 'size', 'priority', 'at'] },
  ),
  JobBound: fc.record({ jobId: anyJobId, nodeId: anyNodeId, at: anyInstant }),
  JobPlaced: fc.record(
    {
      ...late,
      reason: anyPlacementReason,
      ended: fc.constant('node-lost' as const),
    },
    { requiredKeys: ['jobId', 'attempt', 'at', 'nodeId', 'fencingToken', 'reason'] },
  ),
  ReservationFixed: fc.record({ jobId: anyJobId, nodeId: anyNodeId, at: anyInstant }),
  AttemptStarted: fc.record(aboutAttempt),
  AttemptStopping: fc.record(aboutAttempt),
  ProgressReported: fc.record(
    {
      ...aboutAttempt,
      done: anyNumber.map(withoutNegativeZero),
      total: anyNumber.map(withoutNegativeZero),
      message: anyText,
    },
    { requiredKeys: ['jobId', 'attempt', 'at', 'done'] },
  ),
  CheckpointSaved: fc.record({ ...aboutAttempt, checkpoint: anyJson }),
  AttemptEnded: fc.record({
    ...aboutAttempt,
    end: anyAttemptEnd,
    then: fc.constantFrom('completed', 'failed', 'cancelled', 'pending'),
  }),
  CancelRequested: fc.record({ jobId: anyJobId, by: anySubmitter, reason: anyText, at: anyInstant }),
  JobCancelled: fc.record(
    {
      jobId: anyJobId,
      by: anySubmitter,
      reason: anyText,
      ended: fc.constant('node-lost' as const),
      at: anyInstant,
    },
    { requiredKeys: ['jobId', 'by', 'reason', 'at'] },
  ),
  JobsForgotten: fc.record({ finishedUpTo: anyCount, count: anyCount, at: anyInstant }),
  NodeJoined: fc.record(described),
  NodeHeard: fc.record(
    { ...described, missing: fc.array(anyToken, { maxLength: 4 }) },
    { requiredKeys: ['nodeId', 'at', 'incarnation', 'capacity', 'labels', 'kinds'] },
  ),
  NodeReplaced: fc.record(described),
  NodeUnreachable: fc.record(aboutNode),
  NodeLost: fc.record(aboutNode),
  NodeLeft: fc.record(aboutNode),
  NodesForgotten: fc.record({ nodeIds: fc.array(anyNodeId, { maxLength: 4 }), at: anyInstant }),
  NodeCordoned: cordoned,
  NodeUncordoned: fc.record({ ...aboutNode, by: anySubmitter }),
  NodeDraining: cordoned,
  AttemptOrphaned: fc.record({ ...late, size: anyOrdinal }),
  LateReportRecorded: fc.record({ ...late, end: anyAttemptEnd }),
};

/** Any event of the type, with fields that mean nothing to each other: for what carries events, not for what folds them. */
const anyEventOf = <T extends Event['type']>(type: T): fc.Arbitrary<EventOf<T>> =>
  // A record of fast-check has no prototype; an event has the usual one.
  fields[type].map((each) => ({ type, ...each }) as unknown as EventOf<T>);

/** Any event at all; the types are equally likely. */
export const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  ...(Object.keys(fields) as Event['type'][]).map((type) => anyEventOf(type)),
);
