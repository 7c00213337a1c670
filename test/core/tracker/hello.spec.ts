import { describe, expect, test } from '@jest/globals';
import type { FencingToken, JobId } from '../../../src/core/ids.js';
import type { ListedAttempt } from '../../../src/core/tracker/fact.js';
import { heldBy } from '../../../src/core/node/node.js';
import {
  cancel,
  hello,
  incarnation,
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
  attemptStopping,
  cancelRequested,
  jobAccepted,
  jobPlaced,
  lateReportRecorded,
  nodeHeard,
  nodeJoined,
  nodeLost,
  nodeReplaced,
} from '../../kit/event-patterns.js';
import { given } from '../../kit/given.js';

const token = (number: number) => number as FencingToken;
const placed = [nodeJoined('node-a'), jobAccepted('job-1'), jobPlaced('job-1', 'node-a')];
const started = [...placed, attemptStarted('job-1')];
const second = { incarnation: incarnation('node-a', 2) };

/** @returns what the node would list: so many jobs of size 1 */
const placeMany = (driver: CoreDriver, nodeId: string, count: number): ListedAttempt[] => {
  driver.fact(hello(nodeId, { capacity: count }));
  for (let number = 1; number <= count; number += 1) driver.command(submit(`job-${number}`));
  driver.pump();
  return driver.events.flatMap((event) =>
    event.type === 'JobPlaced' ? [listed(event.jobId, { token: event.fencingToken })] : [],
  );
};

describe('a hello', () => {
  test('of a node that nobody knows makes it join, as it says it is', () => {
    const offer = { capacity: 5, labels: { zone: 'north' }, kinds: ['report', 'render'] };
    given()
      .when(hello('node-a', offer))
      .answering({ kind: 'welcome', stale: [] })
      .then(nodeJoined('node-a', { ...offer, incarnation: incarnation('node-a') }));
  });

  test('that says nothing new writes nothing', () => {
    given(...started)
      .when(
        hello('node-a', { attempts: [listed('job-1')] }),
        hello('node-a', { attempts: [listed('job-1')] }),
      )
      .answering({ kind: 'welcome', stale: [] })
      .then();
  });

  test('that names the labels in another order says nothing new', () => {
    given(nodeJoined('node-a', { labels: { a: '1', b: '2' } }))
      .when(hello('node-a', { labels: { b: '2', a: '1' } }))
      .then();
  });

  test.each([
    { capacity: 9 },
    { capacity: 7 },
    { labels: { zone: 'north' } },
    { kinds: ['report', 'render'] },
  ])('that offers something else is recorded: %j', (offer) => {
    given(nodeJoined('node-a')).when(hello('node-a', offer)).then(nodeHeard('node-a', offer));
  });
});

describe('what a node says of an attempt that counts (P14)', () => {
  test('starts it, if it runs', () => {
    given(...placed)
      .when(hello('node-a', { attempts: [listed('job-1')] }))
      .then(attemptStarted('job-1', { attempt: 1 }));
  });

  test('starts and stops it, if it is stopping', () => {
    given(...placed, cancelRequested('job-1'))
      .when(hello('node-a', { attempts: [listed('job-1', { state: 'stopping' })] }))
      .answering({ kind: 'welcome', stale: [] })
      .then(attemptStarted('job-1'), attemptStopping('job-1'));
  });

  test.each(['accepted', 'ended'] as const)('changes nothing, if it is %s', (state) => {
    given(...placed)
      .when(hello('node-a', { attempts: [listed('job-1', { state })] }))
      .answering({ kind: 'welcome', stale: [] })
      .then();
  });

  test('changes nothing, if it is said twice', () => {
    given(...placed)
      .when(hello('node-a', { attempts: [listed('job-1'), listed('job-1')] }))
      .then(attemptStarted('job-1'));
  });
});

describe('what a node says nothing of', () => {
  test('stays placed, if it never began: the order may be on its way', () => {
    const { driver } = given(...placed).when(hello('node-a'));
    expect(driver.events.at(-1)).toMatchObject(jobPlaced('job-1', 'node-a'));
  });

  test('ends as lost, if it ran, and its job waits again', () => {
    given(...started)
      .when(hello('node-a'))
      .then(attemptEnded('job-1', 'node-lost', 'pending'), jobPlaced('job-1', 'node-a', { attempt: 2 }));
  });

  test('ends as lost, if it was said to be stopping', () => {
    given(...placed, cancelRequested('job-1'), attemptStopping('job-1'))
      .when(hello('node-a'))
      .then(attemptEnded('job-1', 'node-lost', 'cancelled'));
  });
});

describe('what a node holds that does not count', () => {
  const elsewhere = [
    nodeJoined('node-b'),
    jobAccepted('job-9', { size: 3 }),
    jobPlaced('job-9', 'node-b'),
    nodeJoined('node-a'),
  ];

  test.each(['accepted', 'running', 'stopping'] as const)('is to be stopped, and takes room: %s', (state) => {
    const orphan = listed('job-9', { size: 3, state });
    const { driver } = given(...elsewhere, jobAccepted('job-2'), jobPlaced('job-2', 'node-a'))
      .when(hello('node-a', { attempts: [orphan] }))
      .answering({ kind: 'welcome', stale: [orphan] });
    expect(driver.events.at(-1)).toMatchObject({ ...attemptOrphaned('job-9', 'node-a'), size: 3 });
    expect(driver.state.nodes.get(hello('node-a').nodeId)?.held).toBe(4);
  });

  test('need not be stopped, if it has ended', () => {
    given(...elsewhere)
      .when(hello('node-a', { attempts: [listed('job-9', { state: 'ended' })] }))
      .answering({ kind: 'welcome', stale: [] })
      .then(attemptOrphaned('job-9', 'node-a'));
  });

  test('is recorded once, however often it is said', () => {
    const twice = hello('node-a', { attempts: [listed('job-9'), listed('job-9')] });
    const { driver } = given(...elsewhere).when(twice, twice);
    expect(driver.events.filter(({ type }) => type === 'AttemptOrphaned')).toHaveLength(1);
    const node = driver.state.nodes.get(twice.nodeId);
    expect(node?.held).toBe(node && heldBy(node));
  });

  test('must be stopped, and is nothing more, if its token was never given out', () => {
    const unknown = listed('job-9', { token: 2 });
    given(...elsewhere)
      .when(hello('node-a', { attempts: [unknown] }))
      .answering({ kind: 'welcome', stale: [unknown] })
      .then();
  });

  test('is not what has ended and only waits to be released', () => {
    given(...started, attemptEnded('job-1'))
      .when(hello('node-a', { attempts: [listed('job-1', { state: 'ended' })] }))
      .answering({ kind: 'welcome', stale: [] })
      .then();
  });

  test('comes in steps of at most 256', () => {
    const driver = new CoreDriver();
    const attempts = placeMany(driver, 'node-b', 1_000);
    driver.fact(hello('node-a'));
    const before = driver.decisions.length;
    expect(driver.fact(hello('node-a', { attempts }))).toEqual({ kind: 'welcome', stale: attempts });
    expect(driver.decisions.slice(before).map((events) => events.length)).toEqual([256, 256, 256, 232]);
  });
});

test('what a node lost comes in steps of at most 256', () => {
  const driver = new CoreDriver();
  const attempts = placeMany(driver, 'node-a', 600);
  for (const { jobId, fencingToken } of attempts)
    driver.fact(reported(jobId, running, { token: fencingToken }));
  const before = driver.decisions.length;
  driver.fact(hello('node-a', { capacity: 600 }));
  expect(driver.decisions.slice(before).map((events) => events.length)).toEqual([256, 256, 88]);
});

test('a hello that names an attempt by another job changes nothing for either', () => {
  given(...placed, jobAccepted('job-2'), jobPlaced('job-2', 'node-a'))
    .when(hello('node-a', { attempts: [listed('job-2', { token: 1 })] }))
    .answering({ kind: 'welcome', stale: [listed('job-2', { token: 1 })] })
    .then();
});

describe('a new process of a node (P20)', () => {
  test('frees what the one before ran, by one event, and it waits again at once', () => {
    given(...started)
      .when(hello('node-a', second))
      .answering({ kind: 'welcome', stale: [] })
      .then(
        nodeReplaced('node-a', second),
        jobPlaced('job-1', 'node-a', { attempt: 2, fencingToken: token(2) }),
      );
  });

  test('ends what was in doubt', () => {
    const { driver } = given(...started, nodeLost('node-a')).when(hello('node-a', second));
    expect(driver.events.at(-1)).toMatchObject(jobPlaced('job-1', 'node-a', { attempt: 2 }));
    expect(driver.events.at(-1)).not.toHaveProperty('ended');
  });

  test('has to stop what it still runs of the one before', () => {
    given(...started, nodeJoined('node-b'))
      .when(hello('node-a', { ...second, capacity: 1, attempts: [listed('job-1')] }))
      .answering({ kind: 'welcome', stale: [listed('job-1')] })
      .then(
        nodeReplaced('node-a'),
        attemptOrphaned('job-1', 'node-a'),
        jobPlaced('job-1', 'node-b', { attempt: 2 }),
      );
  });

  test('replaces the one before for ever', () => {
    const refused = { kind: 'refused', reason: 'incarnation-replaced' } as const;
    given(...started, nodeReplaced('node-a'))
      .when(hello('node-a'))
      .answering(refused)
      .then(jobPlaced('job-1', 'node-a'));
    given(nodeJoined('node-a'), nodeReplaced('node-a'), nodeReplaced('node-a'))
      .when(hello('node-a'), hello('node-a', second))
      .answering(refused)
      .then();
    given(nodeJoined('node-a'), nodeReplaced('node-a')).when(returnOf('node-a')).answering(refused).then();
  });

  test('is not lost by the silence of the one before', () => {
    given(nodeJoined('node-a'), nodeReplaced('node-a'))
      .when(silenceOf('node-a', 'lost', 1))
      .then();
  });

  test('leaves a job cancelled that was to be', () => {
    given(...started)
      .when(cancel('job-1'), hello('node-a', second))
      .then(cancelRequested('job-1'), nodeReplaced('node-a'));
  });
});

test('an orphan that a node does not name any more is recorded as lost', () => {
  given(nodeJoined('node-a'), attemptOrphaned('job-9', 'node-a', 7))
    .when(hello('node-a'))
    .then(lateReportRecorded('job-9', 'node-a', 'node-lost'));
});

test('a job is not placed anew while the attempt that its node still names goes on', () => {
  const { driver } = given(...started, nodeLost('node-a')).when(
    hello('node-a', { attempts: [listed('job-1')] }),
  );
  expect(driver.state.liveJob('job-1' as JobId)?.attemptNumber).toBe(1);
});
