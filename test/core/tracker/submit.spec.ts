import { describe, expect, test } from '@jest/globals';
import type { JobId, NodeId, Submitter } from '../../../src/core/ids.js';
import type { SubmitJob } from '../../../src/core/tracker/command.js';
import { submit, submitter } from '../../kit/core-builders.js';
import { attemptEnded, jobAccepted, jobPlaced, nodeJoined } from '../../kit/event-patterns.js';
import { bothPolicies, given, givenWith } from '../../kit/given.js';

const repeat = (text: string, count: number): string => text.repeat(count);
const labels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`label-${index}`, '']));

describe('a submitted job', () => {
  test('is accepted with all that was said of it', () => {
    const said = {
      kind: 'render',
      size: 3,
      priority: -2,
      name: 'Nightly report',
      requiredLabels: { zone: 'north' },
      preferredNode: 'node-a' as NodeId,
      estimatedRunMs: 60_000,
      tags: { team: 'a' },
      payload: { rows: [1, null] },
    };
    given()
      .when(submit('job-1', { ...said, exclusive: true }))
      .then(jobAccepted('job-1', { ...said, submitter: 'ada' as Submitter, exclusive: true }));
  });

  test('leaves out of its event what was not said', () => {
    const { driver } = given().when(submit('job-1'));
    expect(Object.keys(driver.events.at(-1) ?? {}).sort()).toEqual(
      ['at', 'contentHash', 'jobId', 'kind', 'priority', 'size', 'submitter', 'type'].sort(),
    );
  });

  test.each(bothPolicies)('waits while there is no node (%s)', (policy) => {
    givenWith({ policy })()
      .when(submit('job-1'), submit('job-2'))
      .then(jobAccepted('job-1'), jobAccepted('job-2'));
  });
});

describe('a repeated submission', () => {
  test('of the same content by the same submitter is the same job, and writes nothing', () => {
    given(jobAccepted('job-1')).when(submit('job-1')).answering({ kind: 'accepted', events: [] }).then();
  });

  test('is the same job also when that is over', () => {
    given(nodeJoined('node-a'), jobAccepted('job-1'), jobPlaced('job-1', 'node-a'), attemptEnded('job-1'))
      .when(submit('job-1'))
      .answering({ kind: 'accepted', events: [] })
      .then();
  });

  test('is the same job also when no more jobs are taken', () => {
    givenWith({ waitingJobsMax: 1 })(jobAccepted('job-1'))
      .when(submit('job-1'))
      .answering({ kind: 'accepted', events: [] })
      .then();
  });

  test('of other content is a duplicate', () => {
    given(jobAccepted('job-1'))
      .when(submit('job-1', { contentHash: 'other' }))
      .rejects('duplicate-job-id', 'id', /job-1/);
  });

  test('by another submitter is a duplicate', () => {
    given(jobAccepted('job-1'))
      .when(submit('job-1', { by: submitter('bob') }))
      .rejects('duplicate-job-id', 'id');
  });
});

describe('when as many jobs wait as may', () => {
  const limited = givenWith({ waitingJobsMax: 2 });

  test('the last that may wait is accepted', () => {
    limited(jobAccepted('job-1')).when(submit('job-2')).then(jobAccepted('job-2'));
  });

  test('a further one is refused, with the limit', () => {
    limited(jobAccepted('job-1'), jobAccepted('job-2'))
      .when(submit('job-3'))
      .rejects('queue-full', undefined, /^2 /);
  });

  test('jobs that were placed do not count', () => {
    limited(
      nodeJoined('node-a', { capacity: 1 }),
      jobAccepted('job-1'),
      jobPlaced('job-1', 'node-a'),
      jobAccepted('job-2'),
    )
      .when(submit('job-3'))
      .then(jobAccepted('job-3'));
  });
});

describe('is refused with the field and the limit', () => {
  const sizes = /must be a whole number from 1 to 9007199254740991/;
  const priorities = /must be a whole number from -100 to 100/;
  const notEmpty = /must not be empty/;
  const control = /control characters/;
  const unicode = /well-formed/;
  const over = (max: number): RegExp => new RegExp(`has ${max + 1} .*at most ${max} are allowed`);

  test.each<[string, Partial<SubmitJob>, string, RegExp]>([
    ['size 0', { size: 0 }, 'size', sizes],
    ['a negative size', { size: -1 }, 'size', sizes],
    ['a size with a fraction', { size: 1.5 }, 'size', sizes],
    ['a size that cannot be counted exactly', { size: 2 ** 53 }, 'size', sizes],
    ['a size that is no number', { size: Number.NaN }, 'size', sizes],
    ['an infinite size', { size: Infinity }, 'size', sizes],
    ['a priority above the highest', { priority: 101 }, 'priority', priorities],
    ['a priority below the lowest', { priority: -101 }, 'priority', priorities],
    ['a priority with a fraction', { priority: 0.5 }, 'priority', priorities],
    ['an empty id', { jobId: '' as JobId }, 'id', notEmpty],
    ['an id that is too long', { jobId: repeat('x', 201) as JobId }, 'id', over(200)],
    ['an id with a line break', { jobId: 'job\n1' as JobId }, 'id', control],
    ['an id with a zero character', { jobId: 'job\0' as JobId }, 'id', control],
    ['an id with half a character', { jobId: 'job-\ud800' as JobId }, 'id', unicode],
    ['an empty kind', { kind: '' }, 'kind', notEmpty],
    ['a kind that is too long', { kind: repeat('x', 201) }, 'kind', over(200)],
    ['a name that is too long', { name: repeat('x', 501) }, 'name', over(500)],
    ['a nameless submitter', { by: submitter('') }, 'submitter', notEmpty],
    ['an empty preferred node', { preferredNode: '' as NodeId }, 'preferredNode', notEmpty],
    ['a negative estimate', { estimatedRunMs: -1 }, 'estimatedRunMs', /from 0/],
    ['an estimate with a fraction', { estimatedRunMs: 0.1 }, 'estimatedRunMs', /from 0/],
    ['too many labels', { requiredLabels: labels(65) }, 'requiredLabels', over(64)],
    ['a label without a name', { requiredLabels: { '': 'x' } }, 'requiredLabels', notEmpty],
    [
      'a label with too long a name',
      { requiredLabels: { [repeat('x', 201)]: '' } },
      'requiredLabels',
      over(200),
    ],
    [
      'a label with too long a value',
      { requiredLabels: { a: repeat('x', 201) } },
      'requiredLabels.a',
      over(200),
    ],
    ['a label with a control character', { requiredLabels: { a: '\u0007' } }, 'requiredLabels.a', control],
    ['too many tags', { tags: labels(65) }, 'tags', over(64)],
  ])('%s', (_, fields, field, message) => {
    given().when(submit('job-1', fields)).rejects('invalid-input', field, message);
  });

  test.each<[string, Partial<SubmitJob>]>([
    ['the largest size', { size: Number.MAX_SAFE_INTEGER }],
    ['the highest priority', { priority: 100 }],
    ['the lowest priority', { priority: -100 }],
    ['the longest kind', { kind: repeat('x', 200) }],
    ['the longest name', { name: repeat('x', 500) }],
    ['the most labels, without values', { requiredLabels: labels(64) }],
    ['an estimate of nothing', { estimatedRunMs: 0 }],
    ['an id in any script', { jobId: 'İş–１ 🛳' as JobId }],
    ['the longest id', { jobId: repeat('x', 200) as JobId }],
  ])('but not %s', (_, fields) => {
    const command = submit('job-1', fields);
    given().when(command).then(jobAccepted(command.jobId));
  });
});
