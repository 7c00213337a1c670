import { describe, expect, test } from '@jest/globals';
import type { NodeId, Submitter } from '../../../src/core/ids.js';
import {
  attemptEnded,
  attemptStopping,
  cancelRequested,
  checkpointSaved,
  jobAccepted,
  jobCancelled,
  jobPlaced,
  nodeLost,
  progressReported,
} from '../../kit/event-patterns.js';
import { passing } from '../../kit/given.js';
import { plainState } from '../../kit/plain-state.js';
import { expectRestored, jobIn, placed, running, type Having } from '../../kit/restored-state.js';

const jobsThatLive: readonly Having[] = [
  [
    'a job that waits, with all that may be asked of it',
    [
      passing(7),
      jobAccepted('job-1', {
        requiredLabels: { zone: 'north', gpu: '' },
        preferredNode: 'node-z' as NodeId,
        estimatedRunMs: 0,
        exclusive: true,
        priority: -3,
      }),
    ],
    (state) => jobIn(state),
    { priority: -3, isExclusive: true, estimatedRunMs: 0, preferredNode: 'node-z' },
  ],
  [
    'jobs that ask but one thing of what few ask',
    [
      jobAccepted('job-1', { exclusive: true }),
      jobAccepted('job-2', { estimatedRunMs: 0 }),
      jobAccepted('job-3', { preferredNode: 'node-z' as NodeId }),
    ],
    (state) => [jobIn(state)?.isExclusive, jobIn(state, 'job-2')?.estimatedRunMs],
    [true, 0],
  ],
  ['a job that is placed', placed, (state) => jobIn(state)?.situation.status, 'placed'],
  ['a job that runs', running, (state) => jobIn(state)?.situation.status, 'running'],
  [
    'a job that waits again, ahead of others, and knows of its last end',
    [...running, attemptEnded('job-1', 'released', 'pending'), jobAccepted('job-2', { priority: 100 })],
    (state) => jobIn(state),
    { endedToken: 1, attemptNumber: 1, situation: { status: 'pending', inDoubt: undefined } },
  ],
  [
    'an attempt in doubt',
    [...running, progressReported('job-1', { done: 1, total: 2 }), passing(5), nodeLost('node-a')],
    (state) => jobIn(state)?.situation,
    { status: 'pending', inDoubt: { startedAt: expect.any(Number), progress: { done: 1 } } },
  ],
  [
    'progress of which the whole is not known',
    [...running, progressReported('job-1', { done: 0 })],
    (state) => jobIn(state)?.situation,
    { attempt: { progress: { done: 0, total: undefined } } },
  ],
  [
    'an attempt that is stopping because its job is to be cancelled',
    [...running, cancelRequested('job-1'), passing(3), attemptStopping('job-1')],
    (state) => jobIn(state),
    {
      cancelRequest: { reason: 'not needed any more' },
      situation: { attempt: { stoppingSince: expect.any(Number) } },
    },
  ],
  [
    'a checkpoint',
    [...running, checkpointSaved('job-1', { checkpoint: 1 })],
    (state) => jobIn(state)?.checkpointRevision,
    6,
  ],
  [
    'requirements and submitters that jobs share',
    [
      ...[1, 2, 3].map((number) => jobAccepted(`job-${number}`, { requiredLabels: { zone: 'north' } })),
      jobAccepted('job-4'),
      jobAccepted('job-5', { submitter: 'grace' as Submitter }),
      jobAccepted('job-6', { submitter: 'grace' as Submitter, requiredLabels: { zone: 'north' } }),
    ],
    (state) => plainState(state).requirements,
    [
      ['["report",[["zone","north"]]]', 4],
      ['["report",[]]', 2],
    ],
  ],
];

const jobsThatAreOver: readonly Having[] = [
  [
    'jobs that are over, however they ended, in their place among those that live',
    [
      ...running,
      ...[2, 3, 4, 5].map((number) => jobAccepted(`job-${number}`)),
      jobPlaced('job-4', 'node-a'),
      jobCancelled('job-5'),
      passing(2),
      attemptEnded('job-1'),
      attemptEnded('job-4', 'failed', 'failed'),
      jobAccepted('job-6'),
    ],
    (state) => [
      [...state.finished].map(({ id, status }) => `${id} ${status}`),
      [...state.jobs.keys()].join(),
    ],
    [['job-5 cancelled', 'job-1 completed', 'job-4 failed'], 'job-1,job-2,job-3,job-4,job-5,job-6'],
  ],
  [
    'jobs that were forgotten, and when (P23)',
    [
      jobAccepted('job-1'),
      jobAccepted('job-2'),
      jobCancelled('job-2'),
      jobCancelled('job-1'),
      { type: 'JobsForgotten', finishedUpTo: 4, count: 1 },
    ],
    (state) => [state.forgottenRevision, [...state.jobs.keys()]],
    [6, ['job-1']],
  ],
];

describe('a state restored from its snapshot has', () => {
  test.each([...jobsThatLive, ...jobsThatAreOver])('%s', (...having) => {
    expectRestored(having);
  });
});
