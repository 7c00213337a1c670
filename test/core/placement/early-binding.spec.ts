import { expect, test } from '@jest/globals';
import { reservationsOf } from '../../../src/core/placement/reservations.js';
import { PlacementState } from '../../kit/placement-state.js';

const clusterOf = (...capacities: readonly number[]): PlacementState => {
  const world = new PlacementState({ policy: 'early-binding' });
  for (const [place, capacity] of capacities.entries()) world.join(`node-${place}`, { capacity });
  return world;
};

const queueOf = (world: PlacementState, node: string): string[] =>
  world.state.waiting.inQueueOf(node as never).map(({ id }) => id);

test('binds a job at once to the node of lowest absolute load, queued work included', () => {
  const world = clusterOf(8, 8);
  for (const id of ['a', 'b', 'c']) world.submit(id, { size: 6 });
  world.submit('d', { size: 2 });
  world.pump();
  expect([world.whereIs('a'), world.whereIs('b')]).toEqual(['node-0', 'node-1']);
  expect(queueOf(world, 'node-0')).toEqual(['c']);
  expect(world.whereIs('d')).toBe('node-1');
});

test('breaks ties by the preferred node, then by the smaller id', () => {
  const world = clusterOf(8, 8, 8);
  world.submit('a', { size: 2, preferredNode: 'node-2' });
  world.submit('b', { size: 2 });
  expect(world.place()).toEqual(['a@node-2', 'b@node-0']);
});

test('binds only to nodes that can hold the job', () => {
  const world = clusterOf(4, 8);
  world.submit('a', { size: 5 });
  world.submit('b', { size: 5 });
  world.pump();
  expect(world.whereIs('a')).toBe('node-1');
  expect(queueOf(world, 'node-1')).toEqual(['b']);
});

test('starts the jobs of a queue strictly in order', () => {
  const world = clusterOf(8);
  world.submit('running', { size: 5 });
  world.pump();
  world.submit('big', { size: 8 });
  world.pass(1).submit('small', { size: 1 });
  expect(world.place()).toEqual([]);
  expect(Object.fromEntries(reservationsOf(world.state, world.now))).toEqual({ 'node-0': 'big' });
  world.end('running');
  expect(world.place()).toEqual(['big@node-0']);
});

test('lets no queue hold up another', () => {
  const world = clusterOf(8, 8);
  for (const id of ['a', 'b', 'c']) world.submit(id, { size: 8 });
  world.pump();
  world.end('b');
  world.submit('d', { size: 8 });
  expect(world.place()).toEqual(['d@node-1']);
  expect(queueOf(world, 'node-0')).toEqual(['c']);
});

test('binds queued jobs anew when a node joins', () => {
  const world = clusterOf(8);
  for (const id of ['a', 'b', 'c']) world.submit(id, { size: 8 });
  world.pump();
  world.join('node-1', { capacity: 8 });
  expect(world.place()).toEqual(['b@node-1']);
  expect(queueOf(world, 'node-0')).toEqual(['c']);
});

test('binds an oversized job to the roomiest node, and starts it alone there once it has been oversized for long enough', () => {
  const world = clusterOf(4, 8);
  world.submit('running', { size: 5 });
  world.pump();
  world.submit('giant', { size: 20 });
  world.pump();
  expect(queueOf(world, 'node-1')).toEqual(['giant']);
  expect(world.pass(world.state.settings.oversizedAfterMs).place()).toEqual([]);
  world.end('running');
  expect(world.pump()).toMatchObject([{ jobId: 'giant', nodeId: 'node-1', reason: { rule: 'oversized' } }]);
});

test('leaves a job unbound that waits for a roomier node, and binds those behind it', () => {
  const world = clusterOf(8, 16);
  world.silence('node-1');
  world.submit('roomy', { size: 16 });
  world.pass(1).submit('job', { size: 8 });
  expect(world.place()).toEqual(['job@node-0']);
  expect(world.job('roomy').boundTo).toBeUndefined();
});

test('binds an oversized job anew once a node that can hold it is back after it had stopped counting', () => {
  const world = clusterOf(4, 8);
  world.silence('node-1');
  world.submit('roomy', { size: 8 });
  world.pass(world.state.settings.awayNodeCountsMs);
  world.pump();
  expect(queueOf(world, 'node-0')).toEqual(['roomy']);
  world.hear('node-1', { capacity: 8 });
  expect(world.place()).toEqual(['roomy@node-1']);
});
