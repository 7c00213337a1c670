import { snapshotOf } from '../core/tracker/snapshot.js';
import type { TrackerState } from '../core/tracker/state.js';
import type { EventStore, ExpectedRevision, Revision } from '../event-store/event-store.js';
import { chunkEvent, sha256, snapshotHash, type ChunkEvent } from './snapshot-chunk.js';
import { contentsOf } from './snapshot-content.js';

/** Of the chunks of one append with all that goes with them, in bytes (P11). */
const appendBytesMax = 896 * 1_024;

/** What label and envelope add to the content of a chunk, at most, in bytes. */
const labelBytesMax = 1_024;

interface SnapshotWriterOptions {
  readonly store: EventStore;
  readonly stream: string;
  readonly runtime: {
    /** A UUID nobody else has. */
    readonly newId: () => string;
    /** Resolves once whatever else waits for its turn has had it. */
    readonly turn: () => Promise<void>;
  };
}

/** A state, and the hash of the log's chain at its revision. */
export interface HashedState {
  readonly state: TrackerState;
  readonly hash: string;
}

/** Where a snapshot stands in its stream, and how large it is. */
export interface WrittenSnapshot {
  readonly first: Revision;
  readonly last: Revision;
  readonly bytes: number;
}

/** Writes one snapshot after another, each in as few appends as it can. */
export class SnapshotWriter {
  constructor(private readonly options: SnapshotWriterOptions) {}

  /** @throws what `EventStore.append` throws; what was written then will never be complete */
  async write(of: HashedState, after: ExpectedRevision, signal?: AbortSignal): Promise<WrittenSnapshot> {
    const { store, stream } = this.options;
    let expectedRevision = after;
    let last = -1;
    let count = 0;
    let bytes = 0;
    for await (const events of this.groups(of)) {
      const receipt = await store.append(stream, events, { expectedRevision, ...(signal && { signal }) });
      last = receipt.revision;
      expectedRevision = last;
      count += events.length;
      for (const { data } of events) bytes += data.length;
    }
    return { first: last - count + 1, last, bytes };
  }

  /** The chunks, as many together as one append may have. */
  private async *groups(of: HashedState): AsyncGenerator<readonly ChunkEvent[], void, void> {
    let group: ChunkEvent[] = [];
    let bytes = 0;
    for await (const event of this.chunks(of)) {
      const eventBytes = event.data.length + labelBytesMax;
      if (bytes + eventBytes > appendBytesMax) {
        yield group;
        group = [];
        bytes = 0;
      }
      group.push(event);
      bytes += eventBytes;
    }
    yield group;
  }

  /** The turn is given up after each. */
  private async *chunks({ state, hash }: HashedState): AsyncGenerator<ChunkEvent, void, void> {
    const { newId, turn } = this.options.runtime;
    const title = { snapshotId: newId(), revision: state.revision, chainHash: hash };
    const contentHashes: string[] = [];
    const contents = contentsOf(snapshotOf(state));
    let next = contents.next();
    while (next.done !== true) {
      const content = next.value;
      await turn();
      // Which one is the last is known when there is no other.
      next = contents.next();
      const contentHash = sha256(content);
      const index = contentHashes.push(contentHash) - 1;
      const count = next.done === true ? contentHashes.length : undefined;
      const end = count === undefined ? undefined : { count, hash: snapshotHash(title, contentHashes) };
      yield chunkEvent(newId(), { ...title, index, contentHash, end }, content);
    }
  }
}
