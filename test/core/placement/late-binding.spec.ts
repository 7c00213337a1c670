import { expect, test } from '@jest/globals';
import { reservationsOf } from '../../../src/core/placement/reservations.js';
import { PlacementState } from '../../kit/placement-state.js';

const clusterOf = (...capacities: readonly number[]): PlacementState => {
  const world = new PlacementState();
  for (const [place, capacity] of capacities.entries()) world.join(`node-${place}`, { capacity });
  return world;
};

/** A job that fills what it is given, so that the node is as full as the test needs it. */
const fill = (world: PlacementState, id: string, size: number, node: string): void => {
  const label = { only: node };
  world.hear(node, { capacity: world.state.nodes.get(node as never)?.capacity ?? 0, labels: label });
  world.submit(id, { size, labels: label });
  expect(world.place()).toEqual([`${id}@${node}`]);
};

const reservations = (world: PlacementState): Record<string, string> =>
  Object.fromEntries(reservationsOf(world.state, world.now));

test('places a job on the node whose load is the lowest part of its capacity after placing', () => {
  const world = clusterOf(4, 8);
  world.submit('job', { size: 2 });
  expect(world.place()).toEqual(['job@node-1']);
});

test('breaks ties by the preferred node', () => {
  const world = clusterOf(8, 8, 8);
  world.submit('job', { preferredNode: 'node-2' });
  expect(world.pump()).toMatchObject([
    { nodeId: 'node-2', reason: { rule: 'preferred', candidateCount: 3 } },
  ]);
});

test('breaks ties by the smaller id if no node is preferred', () => {
  const world = clusterOf(8, 8);
  world.submit('job');
  expect(world.pump()).toMatchObject([{ nodeId: 'node-0', reason: { rule: 'least-loaded' } }]);
});

test('does not let a preference outweigh load', () => {
  const world = clusterOf(8, 8);
  fill(world, 'first', 4, 'node-1');
  world.submit('job', { preferredNode: 'node-1' });
  expect(world.place()).toEqual(['job@node-0']);
});

test('sees a tie between nodes of unlike capacity, exactly', () => {
  const third = 3_002_399_751_580_330;
  const world = clusterOf(3 * third, third);
  fill(world, 'first', 2, 'node-0');
  world.submit('job', { size: 1, preferredNode: 'node-1' });
  expect(world.pump()).toMatchObject([{ nodeId: 'node-1', reason: { rule: 'preferred' } }]);
});

test('records what the node held, its capacity, the candidates and the estimate that was known', () => {
  const world = clusterOf(8, 8, 2);
  fill(world, 'first', 3, 'node-0');
  fill(world, 'second', 2, 'node-1');
  world.submit('job', { size: 4, estimatedRunMs: 60_000 });
  expect(world.pump()).toMatchObject([
    {
      type: 'JobPlaced',
      jobId: 'job',
      nodeId: 'node-1',
      attempt: 1,
      fencingToken: 3,
      reason: { rule: 'least-loaded', load: 2, capacity: 8, candidateCount: 2, estimatedRunMs: 60_000 },
    },
  ]);
});

test.each([
  ['does not run the kind', { kinds: ['other'] }],
  ['lacks a label', { labels: { zone: 'south' } }],
])('gives a node that %s nothing', (_why, offer) => {
  const world = new PlacementState();
  world.join('node', offer);
  world.submit('job', { labels: { zone: 'north' } });
  expect(world.place()).toEqual([]);
});

test.each(['silence', 'lose', 'cordon', 'drain'] as const)('gives a node nothing after %s', (does) => {
  const world = clusterOf(8);
  world[does]('node-0');
  world.submit('job');
  expect(world.place()).toEqual([]);
});

test('places higher priority first, then what was submitted first, then the smaller id', () => {
  const world = clusterOf(1);
  world.submit('b', {});
  world.submit('a', {});
  world.submit('high', { priority: 1 });
  world.pass(1).submit('late', {});
  const order: string[] = [];
  for (let placed = world.place(); placed.length > 0; placed = world.place()) {
    order.push(...placed.map((text) => text.split('@')[0] ?? ''));
    for (const id of order.slice(-1)) world.end(id);
  }
  expect(order).toEqual(['high', 'a', 'b', 'late']);
});

test('lets waiting count as much as priority, so that nothing starves', () => {
  const world = clusterOf(8);
  world.submit('running', { size: 8 });
  world.place();
  world.submit('old', { size: 8 });
  world.pass(world.state.settings.ageingMs + 1).submit('new', { size: 8, priority: 1 });
  world.end('running');
  expect(world.place()).toEqual(['old@node-0']);
});

test('puts a requeued job ahead of any that never ran', () => {
  const world = clusterOf(8);
  world.submit('job', { size: 8 });
  world.place();
  world.submit('high', { size: 8, priority: 100 });
  world.pass(1).release('job');
  expect(world.pump()).toMatchObject([{ jobId: 'job', attempt: 2 }]);
});

test('ends the attempt in doubt with the placement of the next', () => {
  const world = clusterOf(8);
  world.submit('job');
  world.place();
  world.lose('node-0');
  world.join('node-1');
  expect(world.pump()).toMatchObject([{ jobId: 'job', nodeId: 'node-1', attempt: 2, ended: 'node-lost' }]);
});

test('gives a node that is over capacity by facts nothing', () => {
  const world = clusterOf(8, 4);
  world.orphan('node-0', 99, 9);
  world.submit('job', { size: 1 });
  expect(world.place()).toEqual(['job@node-1']);
});

test('lets smaller jobs pass a blocked one, but not onto the node that is kept for it', () => {
  const world = clusterOf(8, 8);
  fill(world, 'first', 5, 'node-0');
  fill(world, 'second', 6, 'node-1');
  world.submit('big', { size: 8 });
  world.pass(1);
  for (const id of ['a', 'b', 'c', 'd']) world.submit(id, { size: 1 });
  // Most is free on node-0, which is kept.
  expect(world.place()).toEqual(['a@node-1', 'b@node-1']);
  expect(reservations(world)).toEqual({ 'node-0': 'big' });
  world.end('first');
  expect(world.place()).toEqual(['big@node-0']);
});

test('is not held up by a job that nothing can run', () => {
  const world = clusterOf(8);
  world.submit('impossible', { kind: 'other' });
  world.pass(1).submit('job', { size: 8 });
  expect(world.place()).toEqual(['job@node-0']);
});

test('keeps one node for each pool of nodes, not for each kind that the same nodes run', () => {
  const world = new PlacementState();
  const kinds = ['one', 'other', 'third'];
  for (const id of ['node-0', 'node-1', 'node-2']) world.join(id, { kinds });
  for (const id of ['x', 'y', 'z']) world.submit(id, { size: 7, kind: 'one' });
  world.place();
  world.pass(1);
  for (const kind of kinds) world.submit(`big-${kind}`, { size: 8, kind });
  world.pass(1).submit('a', { kind: 'other' });
  world.submit('b', { kind: 'third' });
  world.submit('c', { kind: 'third' });
  expect(world.place()).toHaveLength(2);
  expect(Object.values(reservations(world))).toEqual(['big-one']);
});

test('keeps a node of each of two pools that share none', () => {
  const world = new PlacementState();
  world.join('north', { labels: { zone: 'north' } });
  world.join('south', { labels: { zone: 'south' } });
  for (const zone of ['north', 'south']) world.submit(`first-${zone}`, { size: 8, labels: { zone } });
  world.place();
  for (const zone of ['north', 'south']) world.submit(`next-${zone}`, { size: 8, labels: { zone } });
  expect(reservations(world)).toEqual({ north: 'next-north', south: 'next-south' });
});

test('lets a job that waits for a node that is away keep nothing from those behind it', () => {
  const world = clusterOf(8, 16);
  world.silence('node-1');
  world.submit('running', { size: 5 });
  world.place();
  world.submit('roomy', { size: 16 });
  world.pass(1).submit('next', { size: 8 });
  world.submit('small', { size: 3 });
  expect(world.place()).toEqual([]);
  expect(reservations(world)).toEqual({ 'node-0': 'next' });
});

test('fixes a reservation for a job that has waited long', () => {
  const world = clusterOf(8, 8);
  for (const id of ['a', 'b']) world.submit(id, { size: 5 });
  world.place();
  world.submit('big', { size: 8, estimatedRunMs: 1_000 });
  const { reservationFixedAfterMs } = world.state.settings;
  expect(world.pass(reservationFixedAfterMs + 9_999).pump()).toEqual([]);
  expect(world.pass(1).pump()).toMatchObject([{ type: 'ReservationFixed', jobId: 'big', nodeId: 'node-0' }]);
});

test('fixes it no later than the longest wait, whatever the estimate', () => {
  const world = clusterOf(8);
  world.submit('a', { size: 5 });
  world.place();
  world.submit('big', { size: 8, estimatedRunMs: 1e12 });
  const { reservationFixedAfterMaxMs } = world.state.settings;
  expect(world.pass(reservationFixedAfterMaxMs).pump()).toMatchObject([{ type: 'ReservationFixed' }]);
});

const withFixed = (): PlacementState => {
  const world = clusterOf(8, 8);
  for (const id of ['a', 'b']) world.submit(id, { size: 5 });
  world.place();
  world.submit('big', { size: 8 });
  world.pass(world.state.settings.reservationFixedAfterMaxMs).pump();
  return world;
};

test('gives a fixed node nothing but its job, and the job the node', () => {
  const world = withFixed();
  world.submit('urgent', { size: 3, priority: 100 });
  expect(world.place()).toEqual(['urgent@node-1']);
  world.end('a');
  expect(world.pump()).toMatchObject([{ jobId: 'big', nodeId: 'node-0', reason: { rule: 'reserved' } }]);
});

test('starts the job of a fixed node wherever it can start first', () => {
  const world = withFixed();
  world.end('b');
  expect(world.place()).toEqual(['big@node-1']);
  expect(reservations(world)).toEqual({});
});

test('fixes one node of a pool at a time', () => {
  const world = clusterOf(8, 8);
  for (const id of ['a', 'b']) world.submit(id, { size: 8 });
  world.place();
  world.submit('big', { size: 8 });
  const waitMs = world.state.settings.reservationFixedAfterMaxMs;
  expect(world.pass(waitMs).pump()).toMatchObject([{ jobId: 'big' }]);
  // Handed back, it is ahead of whatever never ran, and has been there for longer.
  world.release('b');
  world.cordon('node-1');
  expect(world.pump()).toEqual([]);
  world.uncordon('node-1');
  world.submit('c', { size: 8, priority: 100 });
  expect(world.place()).toEqual(['b@node-1']);
  world.cordon('node-1');
  world.release('b');
  world.orphan('node-1', 99, 1);
  world.uncordon('node-1');
  expect(world.pump()).toEqual([]);
  expect(reservations(world)).toEqual({ 'node-0': 'big', 'node-1': 'b' });
});

test('costs no more with a hundred times the waiting jobs', () => {
  const looksWith = (count: number): number => {
    const world = clusterOf(8, 8);
    for (const id of ['a', 'b']) world.submit(id, { size: 8 });
    world.place();
    for (let place = 0; place < count; place += 1) world.submit(`job-${place}`, { size: 2 + (place % 3) });
    let looks = 0;
    for (const job of world.waitingJobs()) {
      const { size } = job;
      Object.defineProperty(job, 'size', {
        get: () => {
          looks += 1;
          return size;
        },
      });
    }
    world.pump();
    return looks;
  };
  expect(looksWith(5_000)).toBeLessThan(2 * looksWith(50) + 20);
});
