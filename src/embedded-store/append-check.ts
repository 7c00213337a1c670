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
  /** Ids that stand at `revision` and after it, at most `count`. */
  idsFrom(revision: number, count: number): readonly string[];
  /** Where a recent event of this stream with that id stands. */
  recentRevisionOf(id: string): number | undefined;
}

export type AppendCheck =
  | { readonly kind: 'write' }
  | { readonly kind: 'repeated'; readonly lastRevision: number }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'tombstoned' };

const write: AppendCheck = { kind: 'write' };
const conflict: AppendCheck = { kind: 'conflict' };

/**
 * Whether an append may be written, repeats one that was, or meets another state than it expects.
 *
 * The rules are EventStoreDB's: an exact expectation compares the stored ids at the places where the events would
 * stand; the loose ones look into the recent ids; a repetition that matches in part is a conflict.
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
      return checkRecent(ids, stream, known);
    case 'stream-exists':
      return exists(stream) ? checkRecent(ids, stream, known) : conflict;
    case 'no-stream':
      return checkExact(-1, ids, stream, known);
    default:
      return checkExact(expected, ids, stream, known);
  }
}

function exists(stream: StreamSituation): boolean {
  return !stream.isSoftDeleted && (stream.lastRevision !== undefined || stream.hasMetadata);
}

function checkExact(
  expected: number,
  ids: readonly string[],
  stream: StreamSituation,
  known: KnownIds,
): AppendCheck {
  const lastRevision = stream.lastRevision ?? -1;
  if (expected > lastRevision) return conflict;
  if (expected === lastRevision) return write;
  const stored = known.idsFrom(expected + 1, ids.length);
  if (ids.every((id, index) => id === stored[index]))
    return { kind: 'repeated', lastRevision: expected + ids.length };
  // A stream that was deleted may be begun again, whatever stood in it.
  const beginsAgain = expected === -1 && stream.isSoftDeleted && ids[0] !== stored[0];
  return beginsAgain ? write : conflict;
}

function checkRecent(ids: readonly string[], stream: StreamSituation, known: KnownIds): AppendCheck {
  const [first] = ids;
  if (first === undefined) return write;
  const firstRevision = known.recentRevisionOf(first);
  if (firstRevision === undefined) return write;
  const stored = known.idsFrom(firstRevision, ids.length);
  const isRepeated = ids.every((id, index) => id === stored[index]);
  return isRepeated ? { kind: 'repeated', lastRevision: firstRevision + ids.length - 1 } : conflict;
}
