import { expect, test } from '@jest/globals';
import { VirtualCluster } from '../../kit/virtual-cluster.js';

const minuteMs = 60_000;
const shortestMs = 5 * minuteMs;
const longestMs = 60 * minuteMs;

/** Numerical Recipes' generator: the same run times for the same seed. */
const runTimes = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round(shortestMs + (state / 2 ** 32) * (longestMs - shortestMs));
  };
};

/**
 * Nodes of 8, full, and always more jobs of size 1 waiting than can start: one while nothing else waits, as whatever is
 * submitted before has a right to start before, and plenty as soon as they have something to pass.
 */
const busyCluster = (seed: number, nodeCount: number) => {
  const nextRunMs = runTimes(seed);
  const cluster = new VirtualCluster((jobId) => (jobId === 'big' ? longestMs : nextRunMs()));
  let count = 0;
  let waitingCount = 1;
  const keepWaiting = (): void => {
    const { waiting } = cluster.world.state;
    while (waiting.count < waitingCount) {
      count += 1;
      cluster.world.submit(`small-${count}`, { size: 1 });
      cluster.pump();
    }
  };
  for (let node = 0; node < nodeCount; node += 1) cluster.world.join(`node-${node}`, { capacity: 8 });
  const goOn = (msMax: number): void => {
    keepWaiting();
    cluster.pass(msMax);
  };
  const submitBig = (): void => {
    cluster.world.submit('big', { size: 8 });
    waitingCount = 50;
  };
  return { cluster, goOn, submitBig };
};

const cases = [
  ...Array.from({ length: 10 }, (_, seed) => [10, seed] as const),
  // Where a reservation has many nodes to move to, it must not start anew with each.
  ...Array.from({ length: 3 }, (_, seed) => [200, seed] as const),
];

test.each(cases)(
  'a job as large as a node starts within the longest run time and a minute, and hardly idles others (%i nodes, seed %i)',
  (nodeCount, seed) => {
    const { cluster, goOn, submitBig } = busyCluster(seed, nodeCount);
    const { world } = cluster;
    const warmAt = world.now + 3 * longestMs;
    while (world.now < warmAt) goOn(warmAt - world.now);
    submitBig();
    const submittedAt = world.now;
    cluster.measureFromNow();
    while (cluster.startOf('big') === undefined && world.now < submittedAt + 3 * longestMs) goOn(minuteMs);
    const waitedMs = (cluster.startOf('big') ?? Infinity) - submittedAt;
    expect(waitedMs).toBeLessThanOrEqual(longestMs + minuteMs);
    expect(cluster.use).toBeGreaterThan(0.9);
  },
);
