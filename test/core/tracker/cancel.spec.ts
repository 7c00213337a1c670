import { describe, test } from '@jest/globals';
import type { JobId, Submitter } from '../../../src/core/ids.js';
import {
  cancel,
  ended,
  hello,
  incarnation,
  listed,
  operator,
  reported,
  silenceOf,
  stopping,
  submitter,
} from '../../kit/core-builders.js';
import {
  attemptEnded,
  attemptOrphaned,
  attemptStarted,
  attemptStopping,
  cancelRequested,
  jobAccepted,
  jobCancelled,
  jobPlaced,
  nodeHeard,
  nodeJoined,
  nodeLost,
  nodeReplaced,
} from '../../kit/event-patterns.js';
import { given } from '../../kit/given.js';

const placed = [nodeJoined('node-a'), jobAccepted('job-1'), jobPlaced('job-1', 'node-a')];
const running = [...placed, attemptStarted('job-1')];
const inDoubt = [...running, nodeLost('node-a')];
const cancelling = [...running, cancelRequested('job-1')];

describe('who may cancel', () => {
  test('its submitter', () => {
    given(jobAccepted('job-1'))
      .when(cancel('job-1'))
      .then(jobCancelled('job-1', { by: 'ada' as Submitter }));
  });

  test('an operator', () => {
    given(jobAccepted('job-1'))
      .when(cancel('job-1', { by: operator }))
      .then(jobCancelled('job-1', { by: operator.submitter }));
  });

  test('nobody else', () => {
    given(jobAccepted('job-1'))
      .when(cancel('job-1', { by: submitter('bob') }))
      .rejects('not-submitter', 'id');
  });

  test('nobody else, not even what is over', () => {
    given(jobAccepted('job-1'), jobCancelled('job-1'))
      .when(cancel('job-1', { by: submitter('bob') }))
      .rejects('not-submitter', 'id');
  });
});

describe('cancelling', () => {
  test('a job that waits ends it at once', () => {
    given(jobAccepted('job-1'))
      .when(cancel('job-1', { reason: 'typo' }))
      .then(jobCancelled('job-1', { reason: 'typo' }));
  });

  test('a placed job asks its node to stop it', () => {
    given(...placed)
      .when(cancel('job-1', { reason: 'typo' }))
      .then(cancelRequested('job-1', { by: 'ada' as Submitter, reason: 'typo' }));
  });

  test('a running job asks its node to stop it', () => {
    given(...running)
      .when(cancel('job-1'))
      .then(cancelRequested('job-1'));
  });

  test('a job in doubt ends it, and its attempt as lost', () => {
    given(...inDoubt)
      .when(cancel('job-1'))
      .then(jobCancelled('job-1', { ended: 'node-lost' }));
  });

  test('twice writes nothing the second time', () => {
    given(...cancelling)
      .when(cancel('job-1'))
      .answering({ kind: 'accepted', events: [] })
      .then();
  });

  test('a job that is cancelled writes nothing', () => {
    given(jobAccepted('job-1'), jobCancelled('job-1'))
      .when(cancel('job-1'))
      .answering({ kind: 'accepted', events: [] })
      .then();
  });

  test('a completed job is refused', () => {
    given(...running, attemptEnded('job-1'))
      .when(cancel('job-1'))
      .rejects('already-finished', 'id', /completed/);
  });

  test('a failed job is refused', () => {
    given(...running, attemptEnded('job-1', 'failed', 'failed'))
      .when(cancel('job-1'))
      .rejects('already-finished', 'id', /failed/);
  });

  test('a job that nobody knows is refused', () => {
    given().when(cancel('job-1')).rejects('unknown-job', 'id');
  });

  test('with too long a reason is refused', () => {
    given(jobAccepted('job-1'))
      .when(cancel('job-1', { reason: 'x'.repeat(1_001) }))
      .rejects('invalid-input', 'reason', /at most 1000/);
  });

  test('nothing by an empty id is refused', () => {
    given()
      .when(cancel('', { jobId: '' as JobId }))
      .rejects('invalid-input', 'id');
  });
});

describe('what crosses a cancel (P16)', () => {
  test('success counts as success', () => {
    given(...cancelling)
      .when(reported('job-1', ended('succeeded')))
      .answering({ kind: 'release' })
      .then(attemptEnded('job-1', 'succeeded', 'completed'));
  });

  test.each(['failed', 'timed-out', 'cancelled', 'released', 'never-started'] as const)(
    'an attempt that %s makes the job cancelled',
    (reason) => {
      given(...cancelling)
        .when(reported('job-1', ended(reason)))
        .answering({ kind: 'release' })
        .then(attemptEnded('job-1', reason, 'cancelled'));
    },
  );

  test('the loss of the node makes the job cancelled, by that one event', () => {
    given(...cancelling)
      .when(silenceOf('node-a'), cancel('job-1'))
      .answering({ kind: 'accepted', events: [] })
      .then(nodeLost('node-a'));
  });

  test('a new process of the node makes the job cancelled, by that one event', () => {
    given(...cancelling)
      .when(hello('node-a', { incarnation: incarnation('node-a', 2) }), cancel('job-1'))
      .answering({ kind: 'accepted', events: [] })
      .then(nodeReplaced('node-a'));
  });

  test('an attempt of a node that comes back after that is stopped', () => {
    given(...cancelling, nodeLost('node-a'))
      .when(hello('node-a', { attempts: [listed('job-1')] }))
      .answering({ kind: 'welcome', stale: [listed('job-1')] })
      .then(nodeHeard('node-a'), attemptOrphaned('job-1', 'node-a'));
  });

  test('an attempt that its node has lost makes the job cancelled', () => {
    given(...cancelling)
      .when(hello('node-a'))
      .then(attemptEnded('job-1', 'node-lost', 'cancelled'));
  });

  test('the word that it is stopping is kept', () => {
    given(...cancelling)
      .when(reported('job-1', stopping))
      .then(attemptStopping('job-1'));
  });
});

test('a node keeps its room until it says that the cancelled attempt ended', () => {
  given(
    nodeJoined('node-a', { capacity: 1 }),
    jobAccepted('job-1'),
    jobPlaced('job-1', 'node-a'),
    jobAccepted('job-2'),
  )
    .when(cancel('job-1'), reported('job-1', ended('cancelled')))
    .then(
      cancelRequested('job-1'),
      attemptEnded('job-1', 'cancelled', 'cancelled'),
      jobPlaced('job-2', 'node-a'),
    );
});
