/** An event as a writer proposes it. The store does not look into data or metadata. */
export interface ProposedEvent {
  /** A UUID in its lower-case text form. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  /** Empty where the writer gave none. */
  readonly metadata: Uint8Array;
}

export interface StoredEvent extends ProposedEvent {
  readonly stream: string;
  /** Counted from 0 in its stream; `tombstoneRevision` for the event that ends a stream for good. */
  readonly revision: number;
  /** Counted from 0 over the whole log; serves as commit and as prepare position. */
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Stands for the largest 64-bit revision, which EventStoreDB gives to the tombstone and no JavaScript number can hold. */
export const tombstoneRevision = -1;

/** What a writer expects of a stream: its last revision, or a claim about it. */
export type ExpectedRevision = number | 'no-stream' | 'any' | 'stream-exists';

export const emptyBytes: Uint8Array = new Uint8Array(0);

/** What an event counts towards the limit of its append: as in EventStoreDB, two bytes for each character of its type. */
export function bytesOf(event: ProposedEvent): number {
  return 2 * event.type.length + event.data.byteLength + event.metadata.byteLength;
}
