import { describe, expect, test } from '@jest/globals';
import type { FencingToken } from '../../../src/core/ids.js';
import type { Report } from '../../../src/core/tracker/fact.js';
import {
  ended,
  hello,
  incarnation,
  listed,
  reported,
  running,
  silenceOf,
  stopping,
} from '../../kit/core-builders.js';
import {
  attemptEnded,
  attemptStarted,
  attemptStopping,
  checkpointSaved,
  jobAccepted,
  jobPlaced,
  nodeHeard,
  nodeJoined,
  nodeUnreachable,
  progressReported,
} from '../../kit/event-patterns.js';
import { given, nextTerm, passing } from '../../kit/given.js';

const placed = [nodeJoined('node-a'), jobAccepted('job-1'), jobPlaced('job-1', 'node-a')];
const started = [...placed, attemptStarted('job-1')];
const minuteMs = 60_000;

describe('the end of an attempt', () => {
  test('in success completes the job, and its result is kept', () => {
    const { driver } = given(...started).when(reported('job-1', ended('succeeded')));
    expect(driver.events.at(-1)).toMatchObject({
      type: 'AttemptEnded',
      end: { reason: 'succeeded', result: { rows: 3 } },
      then: 'completed',
    });
  });

  test.each(['failed', 'timed-out'] as const)('as %s fails the job', (reason) => {
    given(...started)
      .when(reported('job-1', ended(reason)))
      .answering({ kind: 'release' })
      .then(attemptEnded('job-1', reason, 'failed'));
  });

  test('as cancelled fails a job that nobody asked to cancel', () => {
    given(...started)
      .when(reported('job-1', ended('cancelled')))
      .then(attemptEnded('job-1', 'cancelled', 'failed'));
  });

  test.each(['released', 'never-started'] as const)('as %s makes the job wait again', (reason) => {
    given(...started)
      .when(reported('job-1', ended(reason)))
      .answering({ kind: 'release' })
      .then(
        attemptEnded('job-1', reason, 'pending'),
        jobPlaced('job-1', 'node-a', { attempt: 2, fencingToken: 2 as FencingToken }),
      );
  });

  test('counts although the node never said that it began', () => {
    given(...placed)
      .when(reported('job-1', ended()))
      .then(attemptEnded('job-1'));
  });

  test('counts although the node is unreachable for the moment', () => {
    given(...started, nodeUnreachable('node-a'))
      .when(reported('job-1', ended()))
      .then(attemptEnded('job-1'));
  });

  test('that is repeated writes nothing, and is answered the same', () => {
    given(...started, attemptEnded('job-1'))
      .when(reported('job-1', ended()), reported('job-1', ended('failed')))
      .answering({ kind: 'release' })
      .then();
  });

  test('that is repeated once the job runs again writes nothing, and is answered the same', () => {
    given(...started, attemptEnded('job-1', 'released', 'pending'), jobPlaced('job-1', 'node-a'))
      .when(reported('job-1', ended('released')))
      .answering({ kind: 'release' })
      .then();
  });

  test('frees its room at once', () => {
    given(
      nodeJoined('node-a', { capacity: 1 }),
      jobAccepted('job-1'),
      jobPlaced('job-1', 'node-a'),
      jobAccepted('job-2'),
    )
      .when(reported('job-1', ended()))
      .then(attemptEnded('job-1'), jobPlaced('job-2', 'node-a'));
  });
});

describe('the word that an attempt runs', () => {
  test('is recorded once', () => {
    given(...placed)
      .when(reported('job-1', running), reported('job-1', running))
      .answering({ kind: 'nothing' })
      .then(attemptStarted('job-1', { attempt: 1 }));
  });

  test.each<[string, Report, ReturnType<typeof progressReported>]>([
    [
      'progress',
      { state: 'progressed', done: 1, total: 2 },
      progressReported('job-1', { done: 1, total: 2 }),
    ],
    [
      'a checkpoint',
      { state: 'checkpointed', checkpoint: [7] },
      checkpointSaved('job-1', { checkpoint: [7] }),
    ],
  ])('is implied by %s', (_, report, event) => {
    given(...placed)
      .when(reported('job-1', report))
      .then(attemptStarted('job-1'), event);
  });
});

test('the word that an attempt is stopping is recorded once', () => {
  given(...started)
    .when(reported('job-1', stopping), reported('job-1', stopping))
    .answering({ kind: 'nothing' })
    .then(attemptStopping('job-1'));
});

describe('a report of an attempt that does not count', () => {
  const reports: [string, Report][] = [
    ['running', running],
    ['stopping', stopping],
    ['progressed', { state: 'progressed', done: 1 }],
    ['checkpointed', { state: 'checkpointed', checkpoint: 1 }],
  ];
  const movedOn = [...started, attemptEnded('job-1', 'released', 'pending'), jobPlaced('job-1', 'node-a')];

  test.each(reports)('is stale, and changes nothing: %s', (_, report) => {
    given(...movedOn)
      .when(reported('job-1', report))
      .answering({ kind: 'stale' })
      .then();
  });

  test.each(reports)('is stale when another node has the attempt: %s', (_, report) => {
    given(nodeJoined('node-b'), ...started)
      .when(reported('job-1', report, { from: 'node-b' }))
      .answering({ kind: 'stale' })
      .then();
  });

  test.each<[string, Parameters<typeof reported>]>([
    ['job', ['job-2', running]],
    ['attempt', ['job-1', running, { attempt: 2 }]],
    ['token', ['job-1', running, { token: 2 }]],
  ])('is stale if it names another %s', (_, report) => {
    given(...placed, jobAccepted('job-2', { size: 9 }))
      .when(reported(...report))
      .answering({ kind: 'stale' })
      .then();
  });

  test('is released, and changes nothing, if it tells of the end', () => {
    given(nodeJoined('node-b'), ...started)
      .when(reported('job-1', ended(), { from: 'node-b' }))
      .answering({ kind: 'release' })
      .then();
  });
});

describe('a report from a node that has to say hello first changes nothing', () => {
  const refused = { kind: 'refused', reason: 'must-say-hello' } as const;

  test('being unknown', () => {
    given(...started)
      .when(reported('job-1', ended(), { from: 'node-x' }))
      .answering(refused)
      .then();
  });

  test('being unheard in this term', () => {
    given(...started, nextTerm())
      .when(reported('job-1', ended()))
      .answering(refused)
      .then();
  });

  test('having been lost', () => {
    const { driver } = given(...started).when(silenceOf('node-a'));
    expect(driver.fact(reported('job-1', ended()))).toEqual(refused);
    expect(driver.events.at(-1)?.type).toBe('NodeLost');
  });

  test('being another process', () => {
    given(...started)
      .when(reported('job-1', ended(), { process: 2 }))
      .answering({ kind: 'refused', reason: 'incarnation-replaced' })
      .then();
  });
});

describe('progress is stored at a bounded rate (P28)', () => {
  const progress = (done: number, total?: number) =>
    reported('job-1', { state: 'progressed', done, ...(total !== undefined && { total }) });

  test('at once for the first time', () => {
    given(...started)
      .when(progress(1, 100))
      .then(progressReported('job-1', { done: 1, total: 100 }));
  });

  test('not again within two seconds', () => {
    given(...started)
      .when(progress(1, 100), passing(1_999), progress(50, 100))
      .then(progressReported('job-1', { done: 1 }));
  });

  test('again after two seconds', () => {
    given(...started)
      .when(progress(1, 100), passing(2_000), progress(50, 100))
      .then(progressReported('job-1', { done: 1 }), progressReported('job-1', { done: 50 }));
  });

  test('again only after 1 % of the run time', () => {
    const late = [...started, passing(60 * minuteMs), progressReported('job-1', { done: 1, total: 100 })];
    given(...late, passing(35_000))
      .when(progress(50, 100))
      .then();
    given(...late, passing(37_000))
      .when(progress(50, 100))
      .then(progressReported('job-1', { done: 50 }));
  });

  test('again after a minute, however long the attempt runs', () => {
    const late = [...started, passing(3_000 * minuteMs), progressReported('job-1', { done: 1, total: 100 })];
    given(...late, passing(minuteMs - 1))
      .when(progress(50, 100))
      .then();
    given(...late, passing(minuteMs))
      .when(progress(50, 100))
      .then(progressReported('job-1', { done: 50 }));
  });

  test('only on a change of half a percent', () => {
    given(...started)
      .when(progress(1, 1_000), passing(minuteMs), progress(5, 1_000), passing(minuteMs), progress(6, 1_000))
      .then(progressReported('job-1', { done: 1 }), progressReported('job-1', { done: 6 }));
  });

  test('on a change of the total', () => {
    given(...started)
      .when(progress(1, 100), passing(minuteMs), progress(1, 200))
      .then(progressReported('job-1', { total: 100 }), progressReported('job-1', { total: 200 }));
  });

  test('on any change where no total is known', () => {
    given(...started)
      .when(progress(1), passing(minuteMs), progress(1), progress(2))
      .then(progressReported('job-1', { done: 1 }), progressReported('job-1', { done: 2 }));
  });

  test('with the message', () => {
    given(...started)
      .when(reported('job-1', { state: 'progressed', done: 1, message: 'half way' }))
      .then(progressReported('job-1', { message: 'half way' }));
  });
});

test('each checkpoint is stored', () => {
  const saved = (checkpoint: number) => reported('job-1', { state: 'checkpointed', checkpoint });
  given(...started)
    .when(saved(1), saved(2))
    .then(checkpointSaved('job-1', { checkpoint: 1 }), checkpointSaved('job-1', { checkpoint: 2 }));
});

test('a report of the process before is refused once there is a new one', () => {
  given(...started)
    .when(hello('node-a', { incarnation: incarnation('node-a', 2) }), reported('job-1', ended()))
    .answering({ kind: 'refused', reason: 'incarnation-replaced' })
    .then({ type: 'NodeReplaced' }, jobPlaced('job-1', 'node-a', { attempt: 2 }));
});

test('a node that goes on in a new term may report again', () => {
  given(...started, nextTerm())
    .when(hello('node-a', { attempts: [listed('job-1')] }), reported('job-1', ended()))
    .answering({ kind: 'release' })
    .then(nodeHeard('node-a'), attemptEnded('job-1'));
});
