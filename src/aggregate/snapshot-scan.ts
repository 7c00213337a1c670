import type { EventStore, Revision } from '../event-store/event-store.js';
import { chunkOf, snapshotHash, type Chunk, type SnapshotTitle, type SpoiltChunk } from './snapshot-chunk.js';

/** A snapshot all of whose chunks stand in the stream as they were written. */
export interface CompleteSnapshot extends SnapshotTitle {
  readonly kind: 'complete';
  /** Where it stands in its stream. */
  readonly first: Revision;
  readonly last: Revision;
  readonly contents: readonly Uint8Array[];
}

/** A snapshot that cannot be used, and why. */
export interface SkippedSnapshot {
  readonly kind: 'skipped';
  readonly snapshotId: string | undefined;
  readonly reason: string;
  /** It was never finished, because its writer ended or found that it was not the only one. */
  readonly isUnfinished: boolean;
}

/** A chunk has up to 256 KiB. */
const pageSize = 32;

/**
 * The snapshots in the stream, the newest first. Chunks of one stand side by side, because each append is made at the revision that
 * the one before it left; so whatever else is found between them ends it.
 */
export async function* snapshotsIn(
  store: EventStore,
  stream: string,
  signal?: AbortSignal,
): AsyncGenerator<CompleteSnapshot | SkippedSnapshot, void, void> {
  const options = { direction: 'backwards', pageSize, requiresLeader: true } as const;
  const gathering = new Gathering();
  for await (const page of store.readStream(stream, { ...options, ...(signal && { signal }) })) {
    for (const recorded of page) yield* gathering.add(chunkOf(recorded));
  }
  yield* gathering.end();
}

const isSpoilt = (chunk: Chunk | SpoiltChunk): chunk is SpoiltChunk => 'reason' in chunk;

/** Puts snapshots together from their last chunk to their first. */
class Gathering {
  private chunks: [last: Chunk, ...before: Chunk[]] | undefined;
  /** Of the snapshot that was skipped last, so that it is told once and not for each chunk. */
  private skippedId: string | undefined;

  *add(chunk: Chunk | SpoiltChunk): Generator<CompleteSnapshot | SkippedSnapshot, void, void> {
    if (this.chunks) {
      const misfit = misfitOf(chunk, this.chunks);
      if (misfit === undefined && !isSpoilt(chunk)) {
        this.chunks.push(chunk);
        if (chunk.index === 0) yield this.completed(this.chunks);
        return;
      }
      yield this.skipped(this.chunks[0].snapshotId, misfit ?? '');
    }
    yield* this.begin(chunk);
  }

  /** There are no more chunks. */
  *end(): Generator<SkippedSnapshot, void, void> {
    if (this.chunks) yield this.skipped(this.chunks[0].snapshotId, 'its first chunks are missing');
  }

  private *begin(chunk: Chunk | SpoiltChunk): Generator<CompleteSnapshot | SkippedSnapshot, void, void> {
    if (chunk.snapshotId !== undefined && chunk.snapshotId === this.skippedId) return;
    if (isSpoilt(chunk)) yield this.skipped(chunk.snapshotId, chunk.reason);
    else if (!chunk.end) yield this.skipped(chunk.snapshotId, 'it was not finished', true);
    else if (chunk.end.count !== chunk.index + 1) {
      yield this.skipped(chunk.snapshotId, `its chunk ${chunk.index} is the last of ${chunk.end.count}`);
    } else {
      this.chunks = [chunk];
      if (chunk.index === 0) yield this.completed(this.chunks);
    }
  }

  private completed(chunks: readonly [Chunk, ...Chunk[]]): CompleteSnapshot | SkippedSnapshot {
    const [last] = chunks;
    const inOrder = chunks.toReversed();
    const hashes = inOrder.map(({ contentHash }) => contentHash);
    const { snapshotId, revision, chainHash } = last;
    if (snapshotHash(last, hashes) !== last.end?.hash) {
      return this.skipped(snapshotId, 'its chunks are not those that were written');
    }
    this.chunks = undefined;
    const contents = inOrder.map(({ content }) => content);
    const first = last.at - last.index;
    return { kind: 'complete', snapshotId, revision, chainHash, first, last: last.at, contents };
  }

  private skipped(snapshotId: string | undefined, reason: string, isUnfinished = false): SkippedSnapshot {
    this.chunks = undefined;
    this.skippedId = snapshotId;
    return { kind: 'skipped', snapshotId, reason, isUnfinished };
  }
}

/** Why the chunk is not the one that stands before those gathered; nothing if it is. */
const misfitOf = (
  chunk: Chunk | SpoiltChunk,
  [last, ...before]: readonly [Chunk, ...Chunk[]],
): string | undefined => {
  if (isSpoilt(chunk)) return chunk.reason;
  const expected = last.index - before.length - 1;
  if (chunk.snapshotId !== last.snapshotId) return `its chunk ${expected} is missing`;
  if (chunk.index !== expected) return `where its chunk ${expected} should be, its chunk ${chunk.index} is`;
  if (chunk.end) return `its chunk ${chunk.index} says it is the last`;
  if (chunk.revision !== last.revision || chunk.chainHash !== last.chainHash) {
    return `its chunk ${chunk.index} is of another state`;
  }
  return undefined;
};
