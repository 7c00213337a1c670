import { describe, expect, test } from '@jest/globals';
import type { JobId } from '../../../src/core/ids.js';
import {
  cordon,
  drain,
  ended,
  operator,
  reported,
  submit,
  submitter,
  uncordon,
} from '../../kit/core-builders.js';
import {
  attemptEnded,
  attemptStarted,
  jobAccepted,
  jobBound,
  jobPlaced,
  nodeCordoned,
  nodeDraining,
  nodeJoined,
  nodeUncordoned,
} from '../../kit/event-patterns.js';
import { bothPolicies, given, givenWith } from '../../kit/given.js';

const nodeA = nodeJoined('node-a');
const acts = [
  ['cordon', cordon, nodeCordoned],
  ['drain', drain, nodeDraining],
] as const;

describe.each(acts)('%s', (_, act, event) => {
  test('is recorded with who asked', () => {
    given(nodeA)
      .when(act('node-a'))
      .then(event('node-a', { by: operator.submitter }));
  });

  test('is recorded with the reason', () => {
    given(nodeA)
      .when({ ...act('node-a'), reason: 'new disk' })
      .then(event('node-a', { reason: 'new disk' }));
  });

  test('with too long a reason is refused', () => {
    given(nodeA)
      .when({ ...act('node-a'), reason: 'x'.repeat(1_001) })
      .rejects('invalid-input', 'reason');
  });

  test.each(bothPolicies)('keeps new jobs away (%s)', (policy) => {
    givenWith({ policy })(nodeA)
      .when(act('node-a'), submit('job-1'))
      .then(event('node-a'), jobAccepted('job-1'));
  });

  test('leaves what runs alone', () => {
    const { driver } = given(
      nodeA,
      jobAccepted('job-1'),
      jobPlaced('job-1', 'node-a'),
      attemptStarted('job-1'),
    ).when(act('node-a'));
    expect(driver.state.liveJob('job-1' as JobId)?.situation.status).toBe('running');
  });

  test('twice writes nothing the second time', () => {
    given(nodeA)
      .when(act('node-a'), act('node-a'))
      .answering({ kind: 'accepted', events: [] })
      .then(event('node-a'));
  });

  test.each(bothPolicies)('ends by an uncordon, and the node gets jobs again (%s)', (policy) => {
    const bound = policy === 'early-binding' ? [jobBound('job-1', 'node-a')] : [];
    givenWith({ policy })(nodeA, event('node-a'), jobAccepted('job-1'))
      .when(uncordon('node-a'))
      .then(nodeUncordoned('node-a', { by: operator.submitter }), ...bound, jobPlaced('job-1', 'node-a'));
  });

  test('is for operators only', () => {
    given(nodeA)
      .when(act('node-a', submitter('ada')))
      .rejects('not-operator');
  });

  test('of a node that nobody knows is refused', () => {
    given().when(act('node-a')).rejects('unknown-node', 'id');
  });

  test('of a node without a name is refused', () => {
    given().when(act('')).rejects('invalid-input', 'id');
  });
});

test('a cordoned node can be drained', () => {
  given(nodeA, nodeCordoned('node-a')).when(drain('node-a')).then(nodeDraining('node-a'));
});

test('a draining node stays so when it is cordoned', () => {
  given(nodeA, nodeDraining('node-a'))
    .when(cordon('node-a'))
    .answering({ kind: 'accepted', events: [] })
    .then();
});

test('an uncordon of a node that is not cordoned writes nothing', () => {
  given(nodeA).when(uncordon('node-a')).answering({ kind: 'accepted', events: [] }).then();
});

test('an uncordon is for operators only', () => {
  given(nodeA, nodeCordoned('node-a'))
    .when(uncordon('node-a', submitter('ada')))
    .rejects('not-operator');
});

test('a job that waits in the queue of a node goes to another when that is cordoned', () => {
  givenWith({ policy: 'early-binding' })(
    nodeJoined('node-a', { capacity: 1 }),
    jobAccepted('job-1'),
    jobBound('job-1', 'node-a'),
    jobPlaced('job-1', 'node-a'),
    jobAccepted('job-2'),
    jobBound('job-2', 'node-a'),
    nodeJoined('node-b', { capacity: 1 }),
    jobBound('job-2', 'node-a'),
  )
    .when(cordon('node-a'))
    .then(nodeCordoned('node-a'), jobBound('job-2', 'node-b'), jobPlaced('job-2', 'node-b'));
});

test('a draining node hands back what it runs as it ends, and gets nothing for it', () => {
  given(
    nodeA,
    jobAccepted('job-1'),
    jobPlaced('job-1', 'node-a'),
    nodeDraining('node-a'),
    jobAccepted('job-2'),
  )
    .when(reported('job-1', ended()))
    .then(attemptEnded('job-1'));
});
