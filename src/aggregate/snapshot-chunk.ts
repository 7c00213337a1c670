import { hash as digest } from 'node:crypto';
import { snapshotFormat } from '../core/tracker/snapshot-records.js';
import type { JsonValue, NewEvent, RecordedEvent, Revision } from '../event-store/event-store.js';

/** The stored name of a chunk. */
const chunkType = 'tracker-snapshot-chunk.v1';

/** Which snapshot a chunk is of, and of what. The same in all its chunks. */
export interface SnapshotTitle {
  readonly snapshotId: string;
  /** Of the state: that of the last event folded. */
  readonly revision: Revision;
  /** Of the chain of the log at that revision. */
  readonly chainHash: string;
}

/** What stands beside the content of a chunk. */
interface ChunkLabel extends SnapshotTitle {
  /** From 0. */
  readonly index: number;
  readonly format: number;
  /** SHA-256 of the content as it is stored. */
  readonly contentHash: string;
  /** Of the last chunk: how many there are, and a hash over everything that the labels of all say. */
  readonly end: { readonly count: number; readonly hash: string } | undefined;
}

export interface Chunk extends ChunkLabel {
  readonly at: Revision;
  readonly content: Uint8Array;
}

/** A chunk as it is appended. */
export type ChunkEvent = NewEvent & { readonly data: Uint8Array };

/** A chunk that cannot be used. */
export interface SpoiltChunk {
  /** Of the snapshot, as far as it can be told. */
  readonly snapshotId: string | undefined;
  readonly reason: string;
}

/** A hash over all chunks of a snapshot and what they are of, so that none can be exchanged for that of another. */
export const snapshotHash = (title: SnapshotTitle, contentHashes: readonly string[]): string => {
  const { snapshotId, revision, chainHash } = title;
  return sha256(JSON.stringify([snapshotFormat, snapshotId, revision, chainHash, contentHashes]));
};

export const sha256 = (content: string | Uint8Array): string => digest('sha256', content, 'hex');

/** @param id of the event */
export const chunkEvent = (
  id: string,
  label: Omit<ChunkLabel, 'format'>,
  content: Uint8Array,
): ChunkEvent => {
  const { snapshotId, index, revision, chainHash, contentHash, end } = label;
  const metadata = { snapshotId, index, format: snapshotFormat, revision, chainHash, contentHash };
  return {
    id,
    type: chunkType,
    data: content,
    metadata: { ...metadata, ...(end && { end: { count: end.count, hash: end.hash } }) },
  };
};

/** The chunk, if it is what was written. */
export const chunkOf = (recorded: RecordedEvent): Chunk | SpoiltChunk => {
  const { type, data, revision: at } = recorded;
  const label = isObject(recorded.metadata) ? recorded.metadata : {};
  const snapshotId = typeof label['snapshotId'] === 'string' ? label['snapshotId'] : undefined;
  const spoilt = (reason: string): SpoiltChunk => ({ snapshotId, reason: `event ${at} ${reason}` });
  if (type !== chunkType) return spoilt(`is a ${type}`);
  if (label['format'] !== snapshotFormat) return spoilt(`is of format ${JSON.stringify(label['format'])}`);
  if (!isLabel(label) || !(data instanceof Uint8Array)) return spoilt('is no chunk of a snapshot');
  if (sha256(data) !== label.contentHash) return spoilt('has other content than was written');
  return { ...label, end: label.end, at, content: data };
};

type Json = { readonly [key: string]: JsonValue | undefined };

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

const isLabel = (label: Json): label is Json & ChunkLabel => {
  const { snapshotId, revision, chainHash, index, contentHash, end } = label;
  const areTexts = [snapshotId, chainHash, contentHash].every((text) => typeof text === 'string');
  const isEnd = isObject(end) && Number.isSafeInteger(end['count']) && typeof end['hash'] === 'string';
  return (
    areTexts && Number.isSafeInteger(revision) && Number.isSafeInteger(index) && (end === undefined || isEnd)
  );
};
