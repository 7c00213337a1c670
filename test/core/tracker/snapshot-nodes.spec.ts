import { describe, test } from '@jest/globals';
import type { FencingToken, Incarnation, JobId, NodeId } from '../../../src/core/ids.js';
import {
  attemptEnded,
  attemptOrphaned,
  jobAccepted,
  jobBound,
  lateReportRecorded,
  nodeCordoned,
  nodeDraining,
  nodeHeard,
  nodeJoined,
  nodeLeft,
  nodeLost,
  nodeReplaced,
  nodeUnreachable,
  type EventPattern,
} from '../../kit/event-patterns.js';
import { nextTerm, passing } from '../../kit/given.js';
import { expectRestored, jobIn, nodeIn, placed, running, type Having } from '../../kit/restored-state.js';

const tokens = (...numbers: number[]): FencingToken[] => numbers as FencingToken[];

const lateOf = (token: number): EventPattern => ({
  ...lateReportRecorded('job-1', 'node-a', 'succeeded'),
  type: 'LateReportRecorded',
  attempt: token,
  fencingToken: token as FencingToken,
});

const nodes: readonly Having[] = [
  [
    'nodes of every status',
    [
      nodeJoined('unheard'),
      nodeJoined('lost', { labels: { zone: 'north' } }),
      nodeLost('lost'),
      passing(5),
      nextTerm(),
      nodeJoined('ready', { kinds: ['report', 'render'], capacity: 3 }),
      nodeJoined('unreachable'),
      nodeUnreachable('unreachable'),
      nodeJoined('left'),
      nodeLeft('left'),
    ],
    (state) => [...state.nodes.values()].map(({ id, status }) => id === status),
    [true, true, true, true, true],
  ],
  [
    'cordons, and since when they are',
    [nodeJoined('node-a'), nodeJoined('node-b'), passing(9), nodeCordoned('node-a'), nodeDraining('node-b')],
    (state) =>
      [...state.nodes.values()].map(({ cordon, cordonSince, joinedAt }) => [cordon, cordonSince - joinedAt]),
    [
      ['cordoned', 9],
      ['draining', 9],
    ],
  ],
  [
    'what a node offered before (P24)',
    [
      nodeJoined('node-a', { labels: { zone: 'north' } }),
      passing(4),
      nodeHeard('node-a', { capacity: 2, labels: {} }),
    ],
    (state) => nodeIn(state)?.former,
    { capacity: 8, labels: { zone: 'north' } },
  ],
  [
    'replaced incarnations, oldest first (P20)',
    [nodeJoined('node-a'), nodeReplaced('node-a'), nodeReplaced('node-a')],
    (state) => nodeIn(state)?.replacedIncarnations,
    ['node-a/1', 'node-a/2'] as Incarnation[],
  ],
  [
    'orphans, which take room (P17)',
    [...running, attemptOrphaned('job-9', 'node-a', 7), attemptOrphaned('job-8', 'node-a', 5)],
    (state) => [nodeIn(state)?.held, [...(nodeIn(state)?.orphans.keys() ?? [])]],
    [3, tokens(7, 5)],
  ],
  [
    'late reports, oldest first (P15)',
    [...placed, attemptOrphaned('job-9', 'node-a', 7), lateOf(7), lateOf(3)],
    (state) => [...(nodeIn(state)?.lateReported ?? [])],
    tokens(7, 3),
  ],
  [
    'the newest token that a node was given, though it holds nothing of it any more',
    [...running, attemptEnded('job-1')],
    (state) => [nodeIn(state)?.newestToken, nodeIn(state)?.held],
    [1, 0],
  ],
];

const queues: readonly Having[] = [
  [
    'fixed reservations (P25)',
    [
      nodeJoined('node-b'),
      nodeJoined('node-a'),
      jobAccepted('job-1'),
      jobAccepted('job-2'),
      { type: 'ReservationFixed', jobId: 'job-2' as JobId, nodeId: 'node-b' as NodeId },
      { type: 'ReservationFixed', jobId: 'job-1' as JobId, nodeId: 'node-a' as NodeId },
    ],
    (state) => [...state.fixedReservations],
    [
      ['node-b', 'job-2'],
      ['node-a', 'job-1'],
    ],
  ],
  [
    'settings, an open term, and the cluster',
    [
      nextTerm({ ageingMs: 1, progressIntervalMs: 3, waitingJobsMax: 2 }),
      jobAccepted('job-1', { priority: 2 }),
    ],
    ({ term, settings, clusterId }) => [term, settings, clusterId],
    [{ number: 2, leader: 'server-2', isOpen: true }, { ageingMs: 1, progressIntervalMs: 3 }, 'cluster'],
  ],
  [
    'a term that is over',
    [passing(5), { type: 'TermEnded' }],
    ({ term, at }) => [term.isOpen, at - term.startedAt],
    [false, 5],
  ],
];

const bound: readonly Having[] = [
  [
    'jobs bound to nodes',
    [
      nodeJoined('node-a'),
      nodeJoined('node-b'),
      ...[1, 2, 3, 4].map((number) => jobAccepted(`job-${number}`, { size: number })),
      jobBound('job-3', 'node-a'),
      jobBound('job-1', 'node-a'),
      jobBound('job-2', 'node-b'),
    ],
    (state) => [state.waiting.inQueueOf('node-a' as NodeId).map(({ id }) => id), state.waiting.count],
    [['job-1', 'job-3'], 4],
  ],
  [
    'a bound job with an attempt in doubt',
    [...running, nodeJoined('node-b'), nodeLost('node-a'), jobBound('job-1', 'node-b')],
    (state) => jobIn(state),
    { boundTo: 'node-b', situation: { inDoubt: { nodeId: 'node-a' } } },
  ],
];

describe('a state restored from its snapshot has', () => {
  test.each([...nodes, ...queues])('%s', (...having) => {
    expectRestored(having);
  });

  test.each(bound)('%s', (...having) => {
    expectRestored(having, 'early-binding');
  });
});
