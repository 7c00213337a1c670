import { evolve } from '../core/tracker/evolve.js';
import { TrackerState } from '../core/tracker/state.js';
import { decodeEvent } from '../event-store/event-codec.js';
import { isObject, metadataIn } from '../event-store/event-metadata.js';
import type { EventStore, RecordedEvent, Revision } from '../event-store/event-store.js';
import { firstPreviousHash, verifyLink } from '../event-store/hash-chain.js';
import { DurableFold } from './durable-fold.js';
import { LogUnusable } from './errors.js';
import { Snapshots } from './snapshots.js';
import { snapshotStreamOf, trackerStreamOf } from './streams.js';
import type { TrackerOptions } from './tracker-options.js';

/** What a leader goes on from: two folds of the log, one of them to decide on (P5). */
export interface Recovered {
  readonly durable: DurableFold;
  readonly speculative: TrackerState;
  readonly snapshotRevision: number;
}

/** Events of the tail that are fetched at once. */
const pageSize = 1_000;

/**
 * The newest snapshot that verifies and is of this log, and the events since. Every link of the chain that is read is verified.
 *
 * @throws LogUnusable if an event cannot be folded
 * @throws UnknownEvent, ChainBroken
 */
export const recover = async (
  { store, partition = '0', log, runtime }: TrackerOptions,
  signal?: AbortSignal,
): Promise<Recovered> => {
  const snapshots = new Snapshots({ store, stream: snapshotStreamOf(partition), runtime, log });
  const stream = trackerStreamOf(partition);
  const newest = await snapshots.newest(
    2,
    async (revision) => hashAt(store, stream, revision, signal),
    signal,
  );
  const [durable = new TrackerState(), speculative = new TrackerState()] = newest?.states ?? [];
  const snapshotRevision = durable.revision;
  let hash = newest?.hash ?? firstPreviousHash;
  const pages = store.readStream(stream, {
    from: snapshotRevision + 1,
    pageSize,
    requiresLeader: true,
    ...(signal && { signal }),
  });
  for await (const page of pages) {
    for (const recorded of page) {
      hash = verifyLink(recorded, hash);
      foldRecorded(recorded, [durable, speculative]);
    }
  }
  return { durable: new DurableFold(durable, hash), speculative, snapshotRevision };
};

/** As it stands beside the event; nothing if there is no such event. */
const hashAt = async (
  store: EventStore,
  stream: string,
  revision: Revision,
  signal: AbortSignal | undefined,
): Promise<string | undefined> => {
  if (revision < 0) return undefined;
  const options = { from: revision, maxCount: 1, requiresLeader: true, ...(signal && { signal }) };
  for await (const [recorded] of store.readStream(stream, options)) {
    return isObject(recorded?.metadata) ? metadataIn(recorded.metadata)?.hash : undefined;
  }
  return undefined;
};

const foldRecorded = (recorded: RecordedEvent, states: readonly TrackerState[]): void => {
  const { event, metadata } = decodeEvent(recorded);
  try {
    for (const state of states) evolve(state, event);
  } catch (error) {
    throw new LogUnusable(`the event at revision ${recorded.revision} cannot be folded`, { cause: error });
  }
  const folded = states[0];
  if (folded && (folded.revision !== recorded.revision || folded.term.number !== metadata.term)) {
    throw new LogUnusable(
      `the event at revision ${recorded.revision} is of term ${metadata.term}; ` +
        `by the events before it, it is number ${folded.revision} and of term ${folded.term.number}`,
    );
  }
};
