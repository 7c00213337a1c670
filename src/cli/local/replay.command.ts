import { Command } from 'commander';
import type { Event } from '../../core/tracker/event.js';
import { evolve } from '../../core/tracker/evolve.js';
import { TrackerState } from '../../core/tracker/state.js';
import { decodeEvent } from '../../event-store/event-codec.js';
import { isoTime, Lines } from './lines.js';
import { runOnLog } from './local-command.js';
import { withLocation, type OpenLog } from './log-location.js';
import { parsePoint, type Point } from './point-in-log.js';
import { reportOf, type StateReport } from './state-report.js';
import { describe } from './state-summary.js';
import { readChain } from './tracker-log.js';

interface ReplayFlags {
  readonly at: Point;
  readonly json?: boolean;
}

/** `longshore replay`: the state that the log had made by then. */
export function replayCommand(): Command {
  const command = new Command('replay').description(
    'fold the log up to a revision or a time, and print the state',
  );
  return withLocation(command)
    .option('--at <revision|time>', 'the last event that counts (default: the newest)', parsePoint, {
      kind: 'end',
    })
    .option('--json', 'one JSON document')
    .action(async (flags: ReplayFlags, self: Command) => {
      await runOnLog(self, (log) => print(log, flags));
    });
}

const print = async ({ store }: OpenLog, { at, json }: ReplayFlags): Promise<void> => {
  const report = await replay(store, at);
  const lines = new Lines(process.stdout);
  await lines.write(json ? JSON.stringify(report) : describe(report));
};

const replay = async (store: OpenLog['store'], point: Point): Promise<StateReport> => {
  const state = new TrackerState();
  let forgottenCount = 0;
  let newest = -1;
  for await (const { recorded, broken } of readChain(store, 0, {
    follow: false,
    signal: new AbortController().signal,
  })) {
    // What comes of a log that is not what was written, nobody should take for the past.
    if (broken) throw broken;
    const { event } = decodeEvent(recorded);
    if (isPast(point, recorded.revision, event.at)) break;
    fold(state, event);
    newest = recorded.revision;
    if (event.type === 'JobsForgotten') forgottenCount += event.count;
    if (point.kind === 'revision' && point.revision === newest) break;
  }
  checkReached(point, newest);
  return reportOf(state, forgottenCount);
};

const fold = (state: TrackerState, event: Event): void => {
  const revision = state.revision + 1;
  try {
    evolve(state, event);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the event at revision ${revision} cannot be folded: ${reason}`, { cause: error });
  }
};

const isPast = (point: Point, revision: number, at: number): boolean => {
  switch (point.kind) {
    case 'end':
      return false;
    case 'revision':
      return revision > point.revision;
    case 'instant':
      return at > point.instant;
  }
};

const checkReached = (point: Point, reached: number): void => {
  if (point.kind === 'revision' && reached < point.revision) {
    throw new Error(
      `there is no revision ${point.revision}: ${reached < 0 ? 'the log is empty' : `the newest is ${reached}`}`,
    );
  }
  if (reached >= 0) return;
  throw new Error(
    point.kind === 'instant' ? `there was no event up to ${isoTime(point.instant)}` : 'the log is empty',
  );
};
