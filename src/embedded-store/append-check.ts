import type { ExpectedRevision } from './stored-event.js';

/** What the check needs to know of a stream. */
export interface StreamSituation {
  /** Undefined before the first event. */
  readonly lastRevision: number | undefined;
  readonly isTombstoned: boolean;
  readonly isSoftDeleted: boolean;
  /** It has metadata, so it counts as existing even without events. */
  readonly hasMetadata: boolean;
}

export interface KnownIds {
  /** Ids that stand at `revision` and the `count - 1` after it; fewer where there are fewer. */
  idsFrom(revision: number, count: number): readonly string[];
  /** Where a recent event of this stream with that id stands. */
  recentRevisionOf(id: string): number | undefined;
}

export type AppendCheck =
  | { readonly kind: 'write' }
  | { readonly kind: 'repeated'; readonly lastRevision: number }
  | { readonly kind: 'conflict' }
  /** Ended for good; or deleted, which is told alike to who expects the stream to exist. */
  | { readonly kind: 'tombstoned' };

const write: AppendCheck = { kind: 'write' };
const conflict: AppendCheck = { kind: 'conflict' };

/**
 * Whether an append may be written, repeats one that was, or meets another state than it expects.
 *
 * The rules are EventStoreDB's: an exact expectation compares the ids at the places where the events would stand; the
 * loose ones look into the recent ids, wherever those stand; a repetition that matches in part is a conflict.
 */
export function checkAppend(
  expected: ExpectedRevision,
  ids: readonly string[],
  stream: StreamSituation,
  known: KnownIds,
): AppendCheck {
  if (stream.isTombstoned) return { kind: 'tombstoned' };
  switch (expected) {
    case 'any':
      return checkRecent(ids, known);
    case 'stream-exists':
      if (stream.isSoftDeleted) return { kind: 'tombstoned' };
      return exists(stream) ? checkRecent(ids, known) : conflict;
    case 'no-stream':
      return checkExact(-1, ids, stream, known);
    default:
      return checkExact(expected, ids, stream, known);
  }
}

const exists = ({ lastRevision, hasMetadata }: StreamSituation): boolean =>
  lastRevision !== undefined || hasMetadata;

function checkExact(
  expected: number,
  ids: readonly string[],
  stream: StreamSituation,
  known: KnownIds,
): AppendCheck {
  const lastRevision = stream.lastRevision ?? -1;
  if (expected > lastRevision) return conflict;
  if (expected === lastRevision) return write;
  if (ids.length === 0) return conflict;
  const stored = known.idsFrom(expected + 1, ids.length);
  // What a limit of the stream has erased is still known by its recent id.
  const stands = (id: string, index: number) =>
    id === stored[index] || known.recentRevisionOf(id) === expected + 1 + index;
  if (ids.every(stands)) return { kind: 'repeated', lastRevision: expected + ids.length };
  // A stream that was deleted may be begun again, whatever stood in it.
  const beginsAgain = expected === -1 && stream.isSoftDeleted && !ids.slice(0, 1).some(stands);
  return beginsAgain ? write : conflict;
}

function checkRecent(ids: readonly string[], known: KnownIds): AppendCheck {
  let lastRevision: number | undefined;
  for (const id of ids) {
    const revision = known.recentRevisionOf(id);
    if (revision === undefined) return lastRevision === undefined ? write : conflict;
    lastRevision = revision;
  }
  return lastRevision === undefined ? write : { kind: 'repeated', lastRevision };
}
