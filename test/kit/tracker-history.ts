import fc from 'fast-check';
import type { FencingToken, NodeId } from '../../src/core/ids.js';
import type { Attempt } from '../../src/core/job/attempt.js';
import type { Node } from '../../src/core/node/node.js';
import type { SubmitJob } from '../../src/core/tracker/command.js';
import type { ListedAttempt, NodeSaidHello, Report } from '../../src/core/tracker/fact.js';
import type { PolicyName } from '../../src/core/tracker/settings.js';
import {
  cancel,
  cordon,
  drain,
  ended,
  goodbyeOf,
  hello,
  incarnation,
  reported,
  returnOf,
  running,
  silenceOf,
  stopping,
  submit,
  submitter,
  uncordon,
} from './core-builders.js';
import type { CoreDriver } from './core-driver.js';

const nodeId = fc.constantFrom('node-a', 'node-b', 'node-c', 'node-d');
/** Picks one of whatever there is. */
const luck = fc.nat({ max: 1_000 });

const asked = fc.record({
  size: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(20)),
  priority: fc.integer({ min: -1, max: 1 }),
  by: fc.constantFrom(submitter('ada'), submitter('grace')),
  more: fc.constantFrom<Partial<SubmitJob>>(
    {},
    {},
    { requiredLabels: { zone: 'north' } },
    { preferredNode: 'node-b' as NodeId, estimatedRunMs: 5_000 },
    { exclusive: true },
  ),
});

const offer = fc.record({
  capacity: fc.constantFrom(4, 8, 8, 16),
  labels: fc.constantFrom({}, { zone: 'north' }),
});

const report = fc.oneof(
  fc.constantFrom<Report>(running, running, stopping),
  fc.constantFrom<Report>(
    { state: 'progressed', done: 1, total: 4 },
    { state: 'progressed', done: 3 },
    { state: 'checkpointed', checkpoint: 7 },
  ),
  fc.constantFrom('succeeded', 'failed', 'cancelled', 'released', 'never-started').map((end) => ended(end)),
);

/** One input, named so that it means something whatever came before. */
export type HistoryStep = typeof historyStep extends fc.Arbitrary<infer Step> ? Step : never;

export const historyStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('submit' as const), asked }) },
  { weight: 8, arbitrary: fc.record({ does: fc.constant('report' as const), luck, report }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('hello' as const),
      nodeId,
      offer,
      isNewProcess: fc.constantFrom(false, false, true),
      /** Of what it holds it lists what comes from there on. */
      forgets: fc.constantFrom(0, 0, 1),
      orphan: luck,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('lose', 'silence', 'return', 'goodbye', 'cordon', 'drain', 'uncordon'),
      nodeId,
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('cancel' as const), luck }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.constantFrom(900, 16_000, 200_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('next term' as const),
      policy: fc.constantFrom<PolicyName>('late-binding', 'early-binding'),
    }),
  },
);

/** Takes the step, and lets the pump run until it is quiet. Where the states are equal, so is what the step means. */
export const takeStep = (driver: CoreDriver, step: HistoryStep): void => {
  switch (step.does) {
    case 'submit': {
      const { more, ...asked } = step.asked;
      driver.command(submit(`job-${driver.state.revision}`, { ...asked, ...more }));
      break;
    }
    case 'report':
      reportOne(driver, step);
      break;
    case 'hello':
      driver.fact(helloOf(driver, step));
      break;
    case 'cancel': {
      const id = pick([...driver.state.jobs.keys()], step.luck);
      if (id !== undefined) driver.command(cancel(id));
      break;
    }
    case 'pass':
      driver.pass(step.ms);
      driver.fact({ type: 'TimePassed' });
      break;
    case 'next term':
      driver.startTerm({ policy: step.policy });
      break;
    case 'lose':
    case 'silence':
    case 'return':
    case 'goodbye':
    case 'cordon':
    case 'drain':
    case 'uncordon':
      happensToNode(driver, step.does, step.nodeId);
      break;
  }
  driver.pump();
};

const happensToNode = (
  driver: CoreDriver,
  does: Extract<HistoryStep, { readonly nodeId: string }>['does'],
  id: string,
): void => {
  const process = processOf(driver.state.nodes.get(id as NodeId));
  if (does === 'lose') driver.fact(silenceOf(id, 'lost', process));
  if (does === 'silence') driver.fact(silenceOf(id, 'unreachable', process));
  if (does === 'return') driver.fact(returnOf(id, process));
  if (does === 'goodbye') driver.fact(goodbyeOf(id, process));
  if (does === 'cordon') driver.command(cordon(id));
  if (does === 'drain') driver.command(drain(id));
  if (does === 'uncordon') driver.command(uncordon(id));
};

/** Processes of a node are numbered from 1. */
const processOf = (node: Node | undefined): number => (node?.replacedIncarnations.length ?? 0) + 1;

const reportOne = (driver: CoreDriver, step: Extract<HistoryStep, { readonly does: 'report' }>): void => {
  const nodes = [...driver.state.nodes.values()];
  const held = nodes.flatMap((node) =>
    [...node.attempts.values(), ...node.orphans.values()].map((attempt) => ({ node, attempt })),
  );
  const one = pick(held, step.luck);
  if (!one) return;
  const { jobId, number: attempt, fencingToken: token } = one.attempt;
  const from = { from: one.node.id, process: processOf(one.node) };
  driver.fact(reported(jobId, step.report, { attempt, token, ...from }));
};

const helloOf = (
  { state }: CoreDriver,
  { nodeId: id, offer, isNewProcess, forgets, orphan }: Extract<HistoryStep, { readonly does: 'hello' }>,
): NodeSaidHello => {
  const node = state.nodes.get(id as NodeId);
  if (!node || isNewProcess) {
    return hello(id, { ...offer, incarnation: incarnation(id, node ? processOf(node) + 1 : 1) });
  }
  const held = [...node.attempts.values(), ...node.inDoubt.values(), ...node.orphans.values()];
  const nodes = [...state.nodes.values()];
  const isKnown = (token: FencingToken): boolean =>
    nodes.some(({ attempts, inDoubt, orphans }) => [attempts, inDoubt, orphans].some((of) => of.has(token)));
  const token = (1 + (orphan % Math.max(1, state.lastFencingToken))) as FencingToken;
  const jobId = pick([...state.jobs.keys()], orphan);
  const isOrphan = jobId !== undefined && orphan % 2 === 0 && !isKnown(token);
  return hello(id, {
    ...offer,
    incarnation: node.incarnation,
    attempts: [
      ...held.slice(forgets).map(listedAs),
      ...(isOrphan ? [listedAs({ jobId, number: 1, fencingToken: token, size: 2 })] : []),
    ],
  });
};

const listedAs = ({
  jobId,
  number: attempt,
  fencingToken,
  size,
}: Pick<Attempt, 'jobId' | 'number' | 'fencingToken' | 'size'>): ListedAttempt => ({
  jobId,
  attempt,
  fencingToken,
  size,
  state: 'running',
});

const pick = <T>(some: readonly T[], luck: number): T | undefined => some[luck % Math.max(1, some.length)];
