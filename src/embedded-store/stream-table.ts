import type { EventLog } from './event-log.js';
import { limits } from './limits.js';
import {
  isMetastream,
  isSoftDeleted,
  metastreamMetadata,
  metastreamOf,
  noMetadata,
  parseMetadata,
  type StreamMetadata,
} from './stream-metadata.js';
import { emptyBytes, tombstoneRevision } from './stored-event.js';

/** What is known of a stream. Changes only inside a transaction, and is forgotten if that is rolled back. */
export interface StreamEntry {
  readonly name: string;
  /** Absent until the first event is written. */
  id: number | undefined;
  lastRevision: number | undefined;
  isTombstoned: boolean;
  metadata: StreamMetadata;
  /** The newest metadata as it was written, to be rewritten by a delete. Empty where there is none. */
  metadataBytes: Uint8Array;
}

/** The streams that were used lately; the rest is read from the log when it is asked for. */
export class StreamTable {
  private readonly entries = new Map<string, StreamEntry>();

  constructor(private readonly log: EventLog) {}

  get(name: string): StreamEntry {
    const entry = this.entries.get(name) ?? this.load(name);
    // The last of the map is the one used last.
    this.entries.delete(name);
    this.entries.set(name, entry);
    if (this.entries.size > limits.cachedStreamsMax) this.forgetLeastUsed();
    return entry;
  }

  forget(name: string): void {
    this.entries.delete(name);
  }

  private load(name: string): StreamEntry {
    const id = this.log.streamId(name);
    const metadataBytes = isMetastream(name) ? emptyBytes : this.loadMetadata(name);
    return {
      name,
      id,
      lastRevision: id === undefined ? undefined : this.log.lastRevision(id),
      isTombstoned: id !== undefined && this.log.positionAt(id, tombstoneRevision) !== undefined,
      metadata: metadataOf(name, metadataBytes),
      metadataBytes,
    };
  }

  private loadMetadata(name: string): Uint8Array {
    const metastream = metastreamOf(name);
    const id = this.log.streamId(metastream);
    if (id === undefined) return emptyBytes;
    const [newest] = this.log.readStream(id, metastream, 'backwards', Number.MAX_SAFE_INTEGER, 1);
    return newest?.data ?? emptyBytes;
  }

  private forgetLeastUsed(): void {
    for (const name of this.entries.keys()) {
      this.entries.delete(name);
      return;
    }
  }
}

export function metadataOf(name: string, bytes: Uint8Array): StreamMetadata {
  if (isMetastream(name)) return metastreamMetadata;
  return bytes.byteLength === 0 ? noMetadata : parseMetadata(bytes);
}

/** The first revision a reader may see, its age aside. */
export function firstVisibleRevision(entry: StreamEntry): number {
  const { maxCount, truncateBefore } = entry.metadata;
  const byCount = maxCount === undefined ? 0 : (entry.lastRevision ?? -1) - maxCount + 1;
  return Math.max(0, byCount, truncateBefore ?? 0);
}

export const isVisible = (entry: StreamEntry): boolean =>
  entry.lastRevision !== undefined && !isSoftDeleted(entry.metadata);
