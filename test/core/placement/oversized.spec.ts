import { expect, test } from '@jest/globals';
import { reservationsOf } from '../../../src/core/placement/reservations.js';
import { PlacementState } from '../../kit/placement-state.js';

const afterMs = 10_000;
const awayMs = 60_000;

const cluster = (settings = {}): PlacementState => {
  const world = new PlacementState({ oversizedAfterMs: afterMs, awayNodeCountsMs: awayMs, ...settings });
  world.join('small', { capacity: 4 });
  world.join('large', { capacity: 8 });
  return world;
};

const reservations = (world: PlacementState): Record<string, string> =>
  Object.fromEntries(reservationsOf(world.state, world.now));

test('starts an oversized job alone on the roomiest node once it has been oversized for long enough', () => {
  const world = cluster();
  world.submit('giant', { size: 20 });
  expect(world.pass(afterMs - 1).pump()).toEqual([]);
  expect(world.pass(1).pump()).toMatchObject([
    {
      jobId: 'giant',
      nodeId: 'large',
      reason: { rule: 'oversized', load: 0, capacity: 8, candidateCount: 1 },
    },
  ]);
  world.submit('job', { size: 5 });
  expect(world.place()).toEqual([]);
});

test('drains the roomiest node for it from the beginning', () => {
  const world = cluster();
  world.submit('running', { size: 5 });
  world.place();
  world.submit('giant', { size: 20 });
  world.pass(1).submit('job', { size: 3 });
  expect(world.place()).toEqual(['job@small']);
  expect(reservations(world)).toEqual({ large: 'giant' });
  expect(world.pass(10 * afterMs).place()).toEqual([]);
  world.end('running');
  expect(world.place()).toEqual(['giant@large']);
});

test('starts no oversized job within the grace of a term', () => {
  const world = cluster({ graceMs: 30_000 });
  world.submit('giant', { size: 20 });
  expect(world.pass(29_999).place()).toEqual([]);
  expect(world.pass(1).place()).toEqual(['giant@large']);
});

test('waits for a roomier node that is away for a moment', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.silence('roomy');
  world.submit('giant', { size: 20 });
  expect(world.pass(awayMs - 1).place()).toEqual([]);
  expect(reservations(world)).toEqual({});
  world.hear('roomy', { capacity: 32 });
  expect(world.place()).toEqual(['giant@roomy']);
});

test('counts a node that is away no longer than for a moment, and then waits anew', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.lose('roomy');
  world.submit('giant', { size: 20 });
  expect(world.pass(awayMs + afterMs - 1).place()).toEqual([]);
  expect(world.pass(1).place()).toEqual(['giant@large']);
});

test('counts an unheard node from the start of the term', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.pass(10 * awayMs).startTerm({ oversizedAfterMs: afterMs, awayNodeCountsMs: awayMs });
  world.hear('large', { capacity: 8 });
  world.submit('giant', { size: 20 });
  expect(world.pass(awayMs + afterMs - 1).place()).toEqual([]);
  expect(world.pass(1).place()).toEqual(['giant@large']);
});

test('waits for a roomier node that is merely cordoned, as long as it is', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.cordon('roomy');
  world.submit('giant', { size: 20 });
  expect(world.pass(100 * awayMs).place()).toEqual([]);
  world.uncordon('roomy');
  expect(world.place()).toEqual(['giant@roomy']);
});

test('does not count a node that an operator takes away', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.submit('giant', { size: 40 });
  world.drain('roomy');
  world.submit('other', { size: 20 });
  expect(world.pass(afterMs - 1).place()).toEqual([]);
  expect(world.pass(1).place()).toEqual(['giant@large']);
});

test('waits anew after the last node that could have taken it was drained', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.submit('busy', { size: 32 });
  world.place();
  world.submit('giant', { size: 20 });
  world.pass(10 * afterMs).drain('roomy');
  expect(world.pass(afterMs - 1).place()).toEqual([]);
  expect(world.pass(1).place()).toEqual(['giant@large']);
});

test('waits anew after the last node that could have taken it became smaller', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.submit('busy', { size: 32 });
  world.place();
  world.submit('giant', { size: 20 });
  world.pass(10 * afterMs).hear('roomy', { capacity: 6 });
  expect(world.pass(afterMs - 1).place()).toEqual([]);
  expect(world.pass(1).place()).toEqual(['giant@large']);
});

test('judges by the nodes that meet the requirement alone', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32, kinds: ['other'] });
  world.submit('giant', { size: 20 });
  expect(world.pass(afterMs).place()).toEqual(['giant@large']);
});

test('takes the node with most free room of those that are roomiest', () => {
  const world = cluster();
  world.join('large-2', { capacity: 8 });
  world.submit('running', { size: 5 });
  expect(world.place()).toEqual(['running@large']);
  world.submit('giant', { size: 20 });
  expect(world.pass(afterMs).place()).toEqual(['giant@large-2']);
});

test('lets an oversized job that can start nowhere hold up none that fits', () => {
  const world = cluster();
  world.join('roomy', { capacity: 32 });
  world.silence('roomy');
  world.submit('giant', { size: 40 });
  world.pass(1).submit('job', { size: 8 });
  expect(world.place()).toEqual(['job@large']);
});
