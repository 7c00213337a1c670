import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { NodeId } from '../../src/core/ids.js';
import type { LiveJob } from '../../src/core/job/job.js';
import { heldBy } from '../../src/core/node/node.js';
import { lateBinding } from '../../src/core/placement/late-binding.js';
import { reservationsOf } from '../../src/core/placement/reservations.js';
import { waitingReason } from '../../src/core/placement/waiting-reason.js';
import type { Event } from '../../src/core/tracker/event.js';
import { pumpNext } from '../../src/core/tracker/pump.js';
import { NaiveLateBinding, type NaiveStep } from '../kit/naive-placement.js';
import { PlacementState } from '../kit/placement-state.js';

const settings = {
  oversizedAfterMs: 10_000,
  awayNodeCountsMs: 60_000,
  graceMs: 5_000,
  reservationFixedAfterMs: 120_000,
  reservationFixedAfterMaxMs: 300_000,
};

const nodeIds = ['node-a', 'node-b', 'node-c', 'node-d', 'node-e'];
const nodeId = fc.constantFrom(...nodeIds);
const offer = fc.record({
  capacity: fc.constantFrom(4, 6, 8, 16),
  labels: fc.constantFrom({}, { zone: 'north' }, { zone: 'south', fast: '' }),
  kinds: fc.constantFrom(['any'], ['any'], ['any', 'other']),
});
const asked = fc.record(
  {
    size: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(3, 16, 20)),
    kind: fc.constantFrom('any', 'any', 'other'),
    labels: fc.constantFrom({}, {}, { zone: 'north' }, { fast: '' }),
    priority: fc.integer({ min: -1, max: 1 }),
    preferredNode: nodeId,
    estimatedRunMs: fc.constantFrom(1_000, 60_000),
  },
  { requiredKeys: ['size'] },
);

const luck = fc.nat({ max: 1_000 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('submit' as const), asked }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('join' as const), nodeId, offer }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constantFrom('end', 'end', 'release', 'cancel'), luck }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('silence', 'lose', 'cordon', 'drain', 'uncordon', 'hear'),
      nodeId,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 15_000, 200_000) }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('pump' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('orphan' as const), nodeId }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('term' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const pick = (jobs: readonly LiveJob[], at: number): LiveJob | undefined => jobs[at % jobs.length];

/** Applies a step if it makes sense there. */
const apply = (world: PlacementState, given: Step, number: number): void => {
  const nodeOf = (id: string) => world.state.nodes.get(id as NodeId);
  switch (given.does) {
    case 'submit':
      world.submit(`job-${number}`, given.asked);
      return;
    case 'join':
      if (nodeOf(given.nodeId)) world.hear(given.nodeId, given.offer);
      else world.join(given.nodeId, given.offer);
      return;
    case 'pass':
      world.pass(given.ms);
      return;
    case 'pump':
      world.pump();
      return;
    case 'term':
      world.startTerm({ ...settings, policy: world.state.settings.policy });
      return;
    case 'orphan':
      if (nodeOf(given.nodeId)?.status === 'ready') world.orphan(given.nodeId, 1_000_000 + number, 2);
      return;
    case 'end':
    case 'release': {
      const job = pick(
        world.liveJobs().filter(({ situation }) => situation.status !== 'pending'),
        given.luck,
      );
      if (job) world[given.does](job.id);
      return;
    }
    case 'cancel': {
      const job = pick(world.waitingJobs(), given.luck);
      if (job) world.cancel(job.id);
      return;
    }
    case 'hear': {
      const node = nodeOf(given.nodeId);
      if (node) world.hear(given.nodeId, node);
      return;
    }
    case 'silence':
      if (nodeOf(given.nodeId)?.status === 'ready') world.silence(given.nodeId);
      return;
    case 'lose':
    case 'cordon':
    case 'drain':
    case 'uncordon':
      if (nodeOf(given.nodeId)) world[given.does](given.nodeId);
      return;
  }
};

const asNaive = (event: Event | undefined): NaiveStep | undefined => {
  if (event?.type === 'JobPlaced') {
    const { type, jobId, nodeId, reason } = event;
    return { type, jobId, nodeId, rule: reason.rule, candidateCount: reason.candidateCount };
  }
  if (event?.type !== 'ReservationFixed') return undefined;
  const { type, jobId, nodeId } = event;
  return { type, jobId, nodeId };
};

/** Whether more is placed on a node than there is room for, other than one oversized job on an empty node. */
const overfills = ({ state }: PlacementState, event: Event | undefined): boolean => {
  if (event?.type !== 'JobPlaced') return false;
  const node = state.nodes.get(event.nodeId);
  const size = state.liveJob(event.jobId)?.size ?? Infinity;
  const held = node ? heldBy(node) : Infinity;
  return event.reason.rule === 'oversized' ? held > 0 : held + size > (node?.capacity ?? 0);
};

const histories = fc.array(step, { minLength: 20, maxLength: 120 });

test('late binding decides as its rules told straight do, on any state', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = new PlacementState(settings);
      for (const [number, given] of history.entries()) {
        apply(world, given, number);
        const naive = new NaiveLateBinding(world.state, world.now);
        expect(asNaive(lateBinding(world.state, world.now))).toEqual(naive.next());
        expect([...reservationsOf(world.state, world.now)].sort()).toEqual([...naive.reservations].sort());
        expect(overfills(world, lateBinding(world.state, world.now))).toBe(false);
      }
      for (;;) {
        const naive = new NaiveLateBinding(world.state, world.now).next();
        expect(asNaive(world.step())).toEqual(naive);
        if (!naive) break;
      }
    }),
    { numRuns: 300 },
  );
});

test('a job says that it is about to be placed exactly if the next decision places it', () => {
  fc.assert(
    fc.property(
      histories,
      fc.constantFrom('late-binding' as const, 'early-binding' as const),
      (history, policy) => {
        const world = new PlacementState({ ...settings, policy });
        for (const [number, given] of history.entries()) apply(world, given, number);
        const reasonOf = ({ id }: LiveJob) => waitingReason(world.state, id, world.now);
        for (;;) {
          const next = pumpNext(world.state, world.now);
          if (!next) break;
          if (next.type === 'JobPlaced' || next.type === 'JobBound') {
            expect(reasonOf(world.job(next.jobId))?.code).toBe('about-to-be-placed');
          }
          world.fold(next);
        }
        const reservations = reservationsOf(world.state, world.now);
        for (const job of world.liveJobs()) {
          const reason = reasonOf(job);
          expect(reason === undefined).toBe(job.situation.status !== 'pending');
          expect(reason?.code).not.toBe('about-to-be-placed');
          if (reason?.code === 'reserved') expect(reservations.get(reason.nodeId)).toBe(job.id);
          if (reason?.code === 'behind') expect(reservations.get(reason.nodeId)).toBe(reason.jobId);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('early binding takes no node above its capacity, and starts each queue in order', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = new PlacementState({ ...settings, policy: 'early-binding' });
      for (const [number, given] of history.entries()) {
        apply(world, given, number);
        const next = pumpNext(world.state, world.now);
        expect(overfills(world, next)).toBe(false);
        if (next?.type === 'JobPlaced') {
          expect(world.state.waiting.inQueueOf(next.nodeId)[0]?.id).toBe(next.jobId);
        }
      }
    }),
    { numRuns: 200 },
  );
});
