import { Command, InvalidArgumentError } from 'commander';
import { decodeEvent } from '../../event-store/event-codec.js';
import { isObject } from '../../event-store/event-metadata.js';
import type { RecordedEvent, Revision } from '../../event-store/event-store.js';
import { summaryOf } from './event-summary.js';
import { isoTime, Lines, printable } from './lines.js';
import { runOnLog } from './local-command.js';
import { withLocation, type OpenLog } from './log-location.js';
import { headOf, readChain } from './tracker-log.js';

interface EventsFlags {
  readonly job?: string;
  readonly from: Revision;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** `longshore events`: what stands in the log, with its chain verified. */
export function eventsCommand(): Command {
  const command = new Command('events').description('print the events of the log, and verify its hash chain');
  return withLocation(command)
    .option('--job <id>', 'only the events of this job')
    .option('--from <revision>', 'begin at this revision', parseRevision, 0)
    .option('--follow', 'go on with what is appended, until Ctrl-C')
    .option('--json', 'one JSON object per line: revision, name, data, metadata')
    .action(async (flags: EventsFlags, self: Command) => {
      await runOnLog(self, (log) => print(log, flags));
    });
}

const print = async (log: OpenLog, flags: EventsFlags): Promise<void> => {
  const stop = new AbortController();
  process.once('SIGINT', () => {
    stop.abort();
  });
  process.once('SIGTERM', () => {
    stop.abort();
  });
  const lines = new Lines(process.stdout);
  const signal = AbortSignal.any([stop.signal, lines.readerGone]);
  await checkFrom(log, flags);
  let foundCount = 0;
  for await (const { recorded, broken } of readChain(log.store, flags.from, {
    follow: flags.follow === true,
    signal,
  })) {
    if (broken) report(broken.message);
    if (isWanted(recorded, flags)) {
      foundCount += 1;
      await lines.write(flags.json ? jsonOf(recorded) : lineOf(recorded));
    }
  }
  if (signal.aborted) return;
  if (flags.job !== undefined && foundCount === 0 && !flags.follow) {
    throw new Error(
      `there is no event of job ${JSON.stringify(flags.job)}${flags.from > 0 ? ` from revision ${flags.from} on` : ''}`,
    );
  }
};

/** Told on stderr, beside the events, and in the exit code at the end. */
const report = (problem: string): void => {
  console.error(`longshore events: ${problem}`);
  process.exitCode = 1;
};

/** Who follows may begin with what comes next. */
const checkFrom = async ({ store }: OpenLog, { from, follow }: EventsFlags): Promise<void> => {
  const head = (await headOf(store)) ?? -1;
  if (from === 0 || from <= (follow ? head + 1 : head)) return;
  throw new Error(`there is no revision ${from}: ${head < 0 ? 'the log is empty' : `the newest is ${head}`}`);
};

/** What concerns a job and other things too, such as the loss of its node, is not of the job. */
const isWanted = ({ data, metadata }: RecordedEvent, { job }: EventsFlags): boolean =>
  job === undefined ||
  (isObject(metadata) && metadata['$correlationId'] === job && isObject(data) && data['jobId'] === job);

const jsonOf = ({ revision, type: name, data, metadata }: RecordedEvent): string =>
  JSON.stringify({ revision, name, data, metadata });

const lineOf = (recorded: RecordedEvent): string => {
  const { revision, type, createdAt } = recorded;
  try {
    const { event, metadata } = decodeEvent(recorded);
    const words = [isoTime(event.at), type, metadata.$correlationId, summaryOf(event)];
    return [
      String(revision),
      ...words.filter((word) => word !== '').map((word) => printable(word, 200)),
    ].join('  ');
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return [String(revision), isoTime(createdAt), printable(type), '?'].join('  ');
  }
};

function parseRevision(text: string): Revision {
  const revision = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(revision)) return revision;
  throw new InvalidArgumentError('It must be a whole number from 0.');
}
