import { expect, test } from '@jest/globals';
import type { JobId } from '../../../src/core/ids.js';
import { waitingReason, type WaitingReason } from '../../../src/core/placement/waiting-reason.js';
import type { Settings } from '../../../src/core/tracker/settings.js';
import { PlacementState } from '../../kit/placement-state.js';

const reasonOf = (world: PlacementState, id: string): WaitingReason | undefined =>
  waitingReason(world.state, id as JobId, world.now);

/** One node of 8 with a job of 5 on it. */
const busyNode = (settings: Partial<Settings> = {}): PlacementState => {
  const world = new PlacementState(settings);
  world.join('node');
  world.submit('running', { size: 5 });
  world.pump();
  return world;
};

test('has no reason for a job that does not wait', () => {
  const world = busyNode();
  expect(reasonOf(world, 'running')).toBeUndefined();
  world.end('running');
  expect(reasonOf(world, 'running')).toBeUndefined();
  expect(reasonOf(world, 'unknown')).toBeUndefined();
});

test('says that there are no nodes', () => {
  const world = new PlacementState();
  world.submit('job');
  expect(reasonOf(world, 'job')).toEqual({ code: 'no-nodes', message: 'No node has joined yet.' });
});

test('says that no node runs the kind', () => {
  const world = busyNode();
  world.submit('job', { kind: 'train' });
  expect(reasonOf(world, 'job')).toEqual({
    code: 'no-node-runs-kind',
    kind: 'train',
    message: 'No node runs jobs of kind train.',
  });
});

test('says which labels no node has', () => {
  const world = busyNode();
  world.submit('job', { labels: { zone: 'north', disk: 'fast' } });
  expect(reasonOf(world, 'job')).toMatchObject({
    code: 'no-node-has-labels',
    labels: { zone: 'north', disk: 'fast' },
    message: 'No node that runs jobs of kind any has the labels zone=north, disk=fast.',
  });
});

test('says why each node that could run it gets no jobs', () => {
  const world = new PlacementState();
  for (const id of ['a', 'b', 'c']) world.join(id);
  world.silence('a');
  world.silence('b');
  world.cordon('c');
  world.submit('job');
  expect(reasonOf(world, 'job')).toMatchObject({
    code: 'nodes-away',
    nodes: new Map([
      ['a', 'unreachable'],
      ['b', 'unreachable'],
      ['c', 'cordoned'],
    ]),
    message: 'None of the nodes that could run it gets jobs now: 2 unreachable, 1 cordoned.',
  });
});

test('says what is kept for it, and how much has still to become free', () => {
  const world = busyNode();
  world.submit('job', { size: 7 });
  expect(reasonOf(world, 'job')).toEqual({
    code: 'reserved',
    nodeId: 'node',
    toDrain: 4,
    message: 'Node node is kept for it, and 4 more of its 8 must become free first.',
  });
});

test('says which job ahead of it a node is kept for', () => {
  const world = busyNode();
  world.submit('big', { size: 7 });
  world.pass(1).submit('job', { size: 2 });
  expect(reasonOf(world, 'job')).toEqual({
    code: 'behind',
    nodeId: 'node',
    jobId: 'big',
    message: 'Node node is kept for job big, which is ahead of it.',
  });
});

test('says how much room there is if it is too little, kept or not', () => {
  const world = busyNode();
  world.submit('big', { size: 7 });
  world.pass(1).submit('job', { size: 4 });
  expect(reasonOf(world, 'job')).toEqual({
    code: 'no-room',
    size: 4,
    largestFree: 3,
    nodeId: 'node',
    message: 'It needs 4, and the most that is free on one node is 3, on node.',
  });
});

test('says that a roomier node is away', () => {
  const world = busyNode();
  world.join('roomy', { capacity: 32 });
  world.silence('roomy');
  world.submit('job', { size: 20 });
  expect(reasonOf(world, 'job')).toMatchObject({
    code: 'roomier-node-away',
    nodeId: 'roomy',
    capacity: 32,
    because: 'unreachable',
  });
});

test('says what an oversized job waits for, one thing after the other', () => {
  const world = busyNode({ graceMs: 0, oversizedAfterMs: 10_000 });
  world.submit('giant', { size: 20 });
  const until = world.now + 10_000;
  expect(reasonOf(world, 'giant')).toMatchObject({ code: 'oversized-draining', nodeId: 'node', held: 5 });
  world.end('running');
  expect(reasonOf(world, 'giant')).toMatchObject({ code: 'oversized-waiting', nodeId: 'node', until });
  world.pass(10_000);
  expect(reasonOf(world, 'giant')).toMatchObject({ code: 'about-to-be-placed' });
});

test('says that an oversized job waits for the end of the grace', () => {
  const world = new PlacementState({ graceMs: 60_000 });
  world.join('node');
  world.submit('giant', { size: 20 });
  expect(reasonOf(world, 'giant')).toMatchObject({
    code: 'grace',
    nodeId: 'node',
    until: world.now + 60_000,
  });
});

test('says which job the queue of a node begins with', () => {
  const world = busyNode({ policy: 'early-binding' });
  world.submit('next', { size: 4 });
  world.pass(1).submit('job', { size: 1 });
  world.pump();
  expect(reasonOf(world, 'next')).toMatchObject({ code: 'no-room', size: 4, largestFree: 3 });
  expect(reasonOf(world, 'job')).toEqual({
    code: 'behind',
    nodeId: 'node',
    jobId: 'next',
    message: 'Node node has a queue that begins with job next, which is ahead of it.',
  });
});
