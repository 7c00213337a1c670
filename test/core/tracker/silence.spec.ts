import { describe, expect, test } from '@jest/globals';
import type { FencingToken, JobId } from '../../../src/core/ids.js';
import type { ListedAttempt } from '../../../src/core/tracker/fact.js';
import {
  ended,
  goodbyeOf,
  hello,
  listed,
  reported,
  returnOf,
  running,
  silenceOf,
  submit,
} from '../../kit/core-builders.js';
import { CoreDriver } from '../../kit/core-driver.js';
import {
  attemptEnded,
  attemptOrphaned,
  attemptStarted,
  jobAccepted,
  jobBound,
  jobPlaced,
  lateReportRecorded,
  nodeHeard,
  nodeJoined,
  nodeLeft,
  nodeLost,
  nodeUnreachable,
} from '../../kit/event-patterns.js';
import { bothPolicies, given, givenWith } from '../../kit/given.js';

const token = (number: number) => number as FencingToken;
const started = [
  nodeJoined('node-a'),
  jobAccepted('job-1'),
  jobPlaced('job-1', 'node-a'),
  attemptStarted('job-1'),
];
const elsewhere = nodeJoined('node-b');

describe('a node that is unreachable', () => {
  test('keeps its jobs', () => {
    const { driver } = given(...started, elsewhere).when(silenceOf('node-a', 'unreachable'));
    expect(driver.state.liveJob('job-1' as JobId)?.situation).toMatchObject({
      status: 'running',
      attempt: { nodeId: 'node-a' },
    });
    expect(driver.events.at(-1)?.type).toBe('NodeUnreachable');
  });

  test.each(bothPolicies)('gets no jobs (%s)', (policy) => {
    givenWith({ policy })(nodeJoined('node-a'), nodeUnreachable('node-a'))
      .when(submit('job-1'))
      .then(jobAccepted('job-1'));
  });

  test('is so by one event, however often it is told', () => {
    given(...started)
      .when(silenceOf('node-a', 'unreachable'), silenceOf('node-a', 'unreachable'))
      .then(nodeUnreachable('node-a'));
  });

  test('goes on where it was when it is heard again in its session', () => {
    given(...started, nodeUnreachable('node-a'))
      .when(returnOf('node-a'), returnOf('node-a'))
      .answering({ kind: 'nothing' })
      .then(nodeHeard('node-a'));
  });

  test('goes on where it was when it says hello', () => {
    given(...started, nodeUnreachable('node-a'))
      .when(hello('node-a', { attempts: [listed('job-1')] }))
      .answering({ kind: 'welcome', stale: [] })
      .then(nodeHeard('node-a'));
  });

  test('gets jobs again when it is heard again', () => {
    given(nodeJoined('node-a'), nodeUnreachable('node-a'), jobAccepted('job-1'))
      .when(returnOf('node-a'))
      .then({ type: 'NodeHeard' }, jobPlaced('job-1', 'node-a'));
  });
});

describe('a node that is lost', () => {
  test.each(bothPolicies)('has its jobs placed elsewhere (%s)', (policy) => {
    const bound = policy === 'early-binding' ? [jobBound('job-1', 'node-b')] : [];
    givenWith({ policy })(...started, elsewhere)
      .when(silenceOf('node-a'))
      .then(
        nodeLost('node-a'),
        ...bound,
        jobPlaced('job-1', 'node-b', { attempt: 2, fencingToken: token(2), ended: 'node-lost' }),
      );
  });

  test('is so by one event, however often it is told', () => {
    given(...started)
      .when(silenceOf('node-a'), silenceOf('node-a'), silenceOf('node-a', 'unreachable'))
      .then(nodeLost('node-a'));
  });

  test('need not have been unreachable before', () => {
    given(nodeJoined('node-a')).when(silenceOf('node-a', 'lost')).then(nodeLost('node-a'));
  });

  test('is not lost by the silence of another process of it', () => {
    given(...started)
      .when(silenceOf('node-a', 'lost', 2))
      .then();
  });

  test('must say hello before anything else counts', () => {
    given(...started, nodeLost('node-a'))
      .when(returnOf('node-a'))
      .answering({ kind: 'refused', reason: 'must-say-hello' })
      .then();
  });

  test('requeues its jobs ahead of waiting ones, of any priority, in their old order', () => {
    given(
      nodeJoined('node-a'),
      jobAccepted('job-1'),
      jobAccepted('job-2'),
      jobPlaced('job-1', 'node-a'),
      jobPlaced('job-2', 'node-a'),
      jobAccepted('job-3', { priority: 100 }),
      nodeLost('node-a'),
    )
      .when(hello('node-b', { capacity: 3 }))
      .then(
        nodeJoined('node-b'),
        jobPlaced('job-1', 'node-b'),
        jobPlaced('job-2', 'node-b'),
        jobPlaced('job-3', 'node-b'),
      );
  });

  test('frees its attempts by one event, and they are placed again in steps of at most 256', () => {
    const driver = new CoreDriver();
    const count = 10_000;
    driver.fact(hello('node-a', { capacity: count }));
    for (let number = 0; number < count; number += 1) driver.command(submit(`job-${number}`));
    driver.pump();
    driver.fact(hello('node-b', { capacity: count }));
    driver.pump();
    const before = driver.decisions.length;
    driver.fact(silenceOf('node-a'));
    driver.pump();
    const [lost, ...steps] = driver.decisions.slice(before);
    expect(lost?.map(({ type }) => type)).toEqual(['NodeLost']);
    expect(steps).toHaveLength(Math.ceil(count / 256));
    expect(Math.max(...steps.map((step) => step.length))).toBe(256);
    expect(steps.flat().filter(({ type }) => type === 'JobPlaced')).toHaveLength(count);
  });
});

describe('a node that returns after it was lost, before its jobs were placed elsewhere (P15)', () => {
  test('is back at work with the same attempts, by one event', () => {
    const { driver } = given(...started, nodeLost('node-a')).when(
      hello('node-a', { attempts: [listed('job-1')] }),
    );
    expect(driver.events.at(-1)).toMatchObject(nodeHeard('node-a'));
    expect(driver.events.at(-1)).not.toHaveProperty('missing');
    expect(driver.state.liveJob('job-1' as JobId)?.situation).toMatchObject({
      status: 'running',
      attempt: { nodeId: 'node-a', number: 1, fencingToken: 1 },
    });
  });

  test('has its end taken as the end of the attempt', () => {
    given(...started, nodeLost('node-a'))
      .when(hello('node-a', { attempts: [listed('job-1', { state: 'ended' })] }), reported('job-1', ended()))
      .answering({ kind: 'release' })
      .then(nodeHeard('node-a'), attemptEnded('job-1'));
  });

  test('is given an order again that it never took up', () => {
    const { driver } = given(
      nodeJoined('node-a'),
      jobAccepted('job-1'),
      jobPlaced('job-1', 'node-a'),
      nodeLost('node-a'),
    ).when(hello('node-a'));
    expect(driver.events.at(-1)).toMatchObject(nodeHeard('node-a'));
    expect(driver.state.liveJob('job-1' as JobId)?.situation).toMatchObject({
      status: 'placed',
      attempt: { number: 1, fencingToken: 1 },
    });
  });

  test('has attempts ended as lost that it does not hold any more', () => {
    given(...started, nodeLost('node-a'))
      .when(hello('node-a'))
      .then(
        nodeHeard('node-a', { missing: [token(1)] }),
        attemptEnded('job-1', 'node-lost', 'pending'),
        jobPlaced('job-1', 'node-a', { attempt: 2, fencingToken: token(2) }),
      );
  });

  test('may be over its capacity by that, and gets nothing new then', () => {
    given(
      ...started,
      jobAccepted('job-2', { size: 7 }),
      jobPlaced('job-2', 'node-a'),
      attemptStarted('job-2'),
      nodeLost('node-a'),
    )
      .when(
        hello('node-a', { capacity: 4, attempts: [listed('job-1'), listed('job-2', { token: 2, size: 7 })] }),
        submit('job-3'),
        reported('job-2', ended(), { token: 2 }),
      )
      .then(
        nodeHeard('node-a', { capacity: 4 }),
        jobAccepted('job-3'),
        attemptEnded('job-2'),
        jobPlaced('job-3', 'node-a'),
      );
  });

  test('is back by one event, whatever it runs', () => {
    const driver = new CoreDriver();
    const count = 10_000;
    driver.fact(hello('node-a', { capacity: count }));
    for (let number = 1; number <= count; number += 1) driver.command(submit(`job-${number}`));
    driver.pump();
    const attempts = driver.events.flatMap((event): ListedAttempt[] =>
      event.type === 'JobPlaced' ? [listed(event.jobId, { token: event.fencingToken })] : [],
    );
    for (const { jobId, fencingToken } of attempts)
      driver.fact(reported(jobId, running, { token: fencingToken }));
    driver.fact(silenceOf('node-a'));
    const before = driver.events.length;
    expect(driver.fact(hello('node-a', { capacity: count, attempts }))).toEqual({
      kind: 'welcome',
      stale: [],
    });
    driver.pump();
    expect(driver.events.slice(before).map(({ type }) => type)).toEqual(['NodeHeard']);
  });
});

describe('a node that returns after its job was placed elsewhere (P15)', () => {
  const moved = [...started, elsewhere, nodeLost('node-a'), jobPlaced('job-1', 'node-b')];
  const late = hello('node-a', { attempts: [listed('job-1')] });

  test('is told to stop the older attempt, which takes room on it until it ended', () => {
    given(...moved)
      .when(late)
      .answering({ kind: 'welcome', stale: [listed('job-1')] })
      .then(nodeHeard('node-a'), attemptOrphaned('job-1', 'node-a', 1));
  });

  test('is answered stale when it reports of it', () => {
    given(...moved, nodeHeard('node-a'), attemptOrphaned('job-1', 'node-a'))
      .when(reported('job-1', running))
      .answering({ kind: 'stale' })
      .then();
  });

  test('has the late result recorded once, and nothing else changed', () => {
    const { driver } = given(...moved, nodeHeard('node-a'), attemptOrphaned('job-1', 'node-a')).when(
      reported('job-1', ended('succeeded')),
      reported('job-1', ended('succeeded')),
    );
    expect(driver.events.at(-1)).toMatchObject(lateReportRecorded('job-1', 'node-a', 'succeeded'));
    expect(driver.events.filter(({ type }) => type === 'LateReportRecorded')).toHaveLength(1);
    expect(driver.state.liveJob('job-1' as JobId)?.situation).toMatchObject({
      status: 'placed',
      attempt: { nodeId: 'node-b', number: 2, fencingToken: 2 },
    });
  });

  test('has the late result recorded once also if it says hello with it again', () => {
    const again = hello('node-a', { attempts: [listed('job-1', { state: 'ended' })] });
    given(...moved)
      .when(again, reported('job-1', ended()), again, reported('job-1', ended()))
      .answering({ kind: 'release' })
      .then(
        nodeHeard('node-a'),
        attemptOrphaned('job-1', 'node-a'),
        lateReportRecorded('job-1', 'node-a', 'succeeded'),
      );
  });

  test('has the older attempt recorded as lost if it drops it without a word', () => {
    given(...moved, nodeHeard('node-a'), attemptOrphaned('job-1', 'node-a'))
      .when(hello('node-a'))
      .answering({ kind: 'welcome', stale: [] })
      .then(lateReportRecorded('job-1', 'node-a', 'node-lost'));
  });

  test('gets nothing where the older attempt still takes room', () => {
    given(
      nodeJoined('node-a', { capacity: 1 }),
      jobAccepted('job-1'),
      jobPlaced('job-1', 'node-a'),
      nodeLost('node-a'),
      nodeJoined('node-b', { capacity: 1 }),
      jobPlaced('job-1', 'node-b'),
      jobAccepted('job-2'),
    )
      .when(
        hello('node-a', { capacity: 1, attempts: [listed('job-1')] }),
        reported('job-1', ended('cancelled')),
      )
      .then(
        nodeHeard('node-a'),
        attemptOrphaned('job-1', 'node-a'),
        lateReportRecorded('job-1', 'node-a', 'cancelled'),
        jobPlaced('job-2', 'node-a'),
      );
  });

  test('holds nothing of it when it is lost again', () => {
    const { driver } = given(...moved, nodeHeard('node-a'), attemptOrphaned('job-1', 'node-a')).when(
      silenceOf('node-a'),
    );
    expect(driver.state.nodes.get(late.nodeId)).toMatchObject({ status: 'lost', held: 0 });
  });
});

describe('a node that says goodbye', () => {
  test('holding nothing, has left', () => {
    given(nodeJoined('node-a')).when(goodbyeOf('node-a'), goodbyeOf('node-a')).then(nodeLeft('node-a'));
  });

  test('holding attempts, is lost', () => {
    given(...started)
      .when(goodbyeOf('node-a'))
      .then(nodeLost('node-a'));
  });

  test('is not lost by its silence after that', () => {
    given(nodeJoined('node-a'), nodeLeft('node-a')).when(silenceOf('node-a')).then();
  });

  test('after it was lost, changes nothing', () => {
    given(...started, nodeLost('node-a'))
      .when(goodbyeOf('node-a'))
      .then();
  });

  test('as a process that was replaced, changes nothing', () => {
    given(nodeJoined('node-a'), { type: 'NodeReplaced', nodeId: hello('node-a').nodeId })
      .when(goodbyeOf('node-a'))
      .then();
  });

  test('may come back', () => {
    given(nodeJoined('node-a'), nodeLeft('node-a'), jobAccepted('job-1'))
      .when(hello('node-a'))
      .then(nodeHeard('node-a'), jobPlaced('job-1', 'node-a'));
  });
});
