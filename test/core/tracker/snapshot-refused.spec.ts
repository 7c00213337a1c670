import { describe, expect, test } from '@jest/globals';
import type { JobId, NodeId } from '../../../src/core/ids.js';
import { InvariantBroken } from '../../../src/core/invariant.js';
import type { SnapshotRecord } from '../../../src/core/tracker/snapshot-records.js';
import { attemptEnded, jobAccepted, jobPlaced, nodeJoined, nodeLost } from '../../kit/event-patterns.js';
import { given } from '../../kit/given.js';
import { restored, storedRecords } from '../../kit/plain-state.js';
import { running } from '../../kit/restored-state.js';

/** One node with a job that runs, one that is lost, and jobs that wait, are in doubt, and are over. */
const records = (): SnapshotRecord[] =>
  storedRecords(
    given(
      ...running,
      nodeJoined('node-b'),
      ...[2, 3, 4].map((number) => jobAccepted(`job-${number}`)),
      jobPlaced('job-2', 'node-b'),
      jobPlaced('job-3', 'node-a'),
      attemptEnded('job-3'),
      { type: 'ReservationFixed', jobId: 'job-4' as JobId, nodeId: 'node-a' as NodeId },
      nodeLost('node-b'),
    ).when().driver.state,
  );

type Tag = SnapshotRecord[0];

const isOf =
  (tag: Tag, id?: string) =>
  (record: SnapshotRecord): boolean =>
    record[0] === tag && (id === undefined || record[1] === id);

const without = (tag: Tag, id?: string): SnapshotRecord[] => {
  const all = records();
  const left = all.filter((record) => !isOf(tag, id)(record));
  expect(left.length).toBe(all.length - 1);
  return left;
};

const first = (tag: Tag): SnapshotRecord => {
  const found = records().find(isOf(tag));
  if (!found) throw new Error(`there is no ${tag}`);
  return found;
};

const doubled = (of: readonly SnapshotRecord[], tag: Tag, id?: string): SnapshotRecord[] =>
  of.flatMap((record) => (isOf(tag, id)(record) ? [record, record] : [record]));

const counting = (...counts: readonly number[]): SnapshotRecord[] =>
  records().map((record) => (record[0] === 'state' ? [...record.slice(0, -1), counts] : record) as never);

const expectRefused = (broken: readonly SnapshotRecord[], message: RegExp): void => {
  const restoring = (): unknown => restored(broken);
  expect(restoring).toThrow(InvariantBroken);
  expect(restoring).toThrow(message);
};

test('a snapshot with all its records is restored', () => {
  expect(restored(records())).toHaveLength(1);
});

describe('a snapshot is refused if it has lost', () => {
  test('its state', () => expectRefused(without('state'), /begins with its state/));
  test('all of it', () => expectRefused([], /begins with its state/));
  test('all but its state', () => expectRefused(records().slice(0, 1), /of 2,1,3,1 has 0,0,0,0/));
  test('a node', () => expectRefused(without('node', 'node-b'), /of 2,1,3,1 has 1,1,3,1/));
  test('the node of an attempt', () =>
    expectRefused(
      records().filter((record) => record[0] !== 'node'),
      /an attempt follows its node/,
    ));
  test('a reservation', () => expectRefused(without('reservation'), /of 2,1,3,1 has 2,0,3,1/));
  test('a job that waits', () => expectRefused(without('job', 'job-4'), /of 2,1,3,1 has 2,1,2,1/));
  test('a job that is over', () => expectRefused(without('finished', 'job-3'), /of 2,1,3,1 has 2,1,3,0/));
  test('the attempt of a job that runs', () =>
    expectRefused(without('attempt', 'job-1'), /job job-1 is running, and no node has its attempt/));
  test('a submitter', () => expectRefused(without('submitter'), /job job-1 follows its submitter/));
  test('a requirement', () => expectRefused(without('requirement'), /job job-1 follows its requirement/));
});

describe('a snapshot is refused if it has too much:', () => {
  test('a job twice, even if it counts it twice', () => {
    expectRefused(doubled(records(), 'job', 'job-4'), /of 2,1,3,1 has 2,1,4,1/);
    expectRefused(doubled(counting(2, 1, 4, 1), 'job', 'job-4'), /a job twice/);
  });

  test('a job that lives and is over', () => {
    const [tag, , ...rest] = first('finished');
    const over = [tag, 'job-4', ...rest] as unknown as SnapshotRecord;
    expectRefused([...counting(2, 1, 3, 2), over], /a job twice/);
  });

  test('a node twice', () => {
    expectRefused(doubled(counting(3, 1, 3, 1), 'node', 'node-b'), /of 3,1,3,1 has 2,1,3,1/);
  });

  test('an attempt of no job', () => {
    const [tag, , ...rest] = first('attempt');
    const foreign = [tag, 'job-9', ...rest] as unknown as SnapshotRecord;
    const withForeign = records().flatMap((record) =>
      record[0] === 'attempt' ? [record, foreign] : [record],
    );
    expectRefused(withForeign, /an attempt of no job/);
  });

  test('two attempts of one job that count', () => {
    expectRefused(doubled(records(), 'attempt'), /job job-1 has one attempt that counts/);
  });

  test('an orphan of no node', () => {
    const orphan = ['orphan', 'job-9', 1, 1, 1] as unknown as SnapshotRecord;
    expectRefused([...records().slice(0, 1), orphan], /an orphan follows its node/);
  });

  test.each([
    [[1, 1, 3, 1], /of 1,1,3,1 has 2,1,3,1/],
    [[2, 0, 3, 1], /of 2,0,3,1 has 2,1,3,1/],
    [[2, 1, 2, 1], /of 2,1,2,1 has 2,1,3,1/],
    [[2, 1, 3, 0], /of 2,1,3,0 has 2,1,3,1/],
  ])('more than it counts: %j', (counts, message) => {
    expectRefused(counting(...counts), message);
  });
});

test('a job that waits since no instant is refused', () => {
  const broken = records().map((record) =>
    isOf('job', 'job-4')(record) ? record.map((value, at) => (at === 12 ? null : value)) : record,
  );
  expectRefused(broken as never, /job job-4 waits since some instant/);
});
