import {
  binaryEvent,
  jsonEvent,
  type EventData as ClientEventData,
  type JSONType,
  type Position as ClientPosition,
} from '@eventstore/db-client';
import { StoreAnswerInvalid } from './errors.js';
import type { EventData, Position, RecordedEvent, Revision } from './event-store.js';
import type { PreparedEvent } from './session.js';

/** The shape both kinds of the client's recorded events share. */
export interface ClientRecord {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata?: unknown;
  readonly created: Date;
  readonly position?: ClientPosition | undefined;
}

export interface ClientResolved {
  readonly event?: ClientRecord | undefined;
  readonly commitPosition?: bigint | undefined;
}

/** What the store gives to the event that ends a stream for good; as a safe integer it is the largest of those. */
const tombstoneRevision = 2n ** 63n - 1n;

/** The store's 64-bit revision as a safe integer. */
export const toRevision = (revision: bigint): Revision => {
  const number = revision === tombstoneRevision ? Number.MAX_SAFE_INTEGER : Number(revision);
  if (!Number.isSafeInteger(number)) throw new StoreAnswerInvalid(`revision ${revision} is no safe integer`);
  return number;
};

export const toClientEvent = ({ id, type, data, metadata }: PreparedEvent): ClientEventData => {
  const withMetadata = metadata === undefined ? {} : { metadata };
  return data instanceof Uint8Array
    ? binaryEvent({ id, type, data, ...withMetadata })
    : // The client's type leaves out the JSON values null, true and 1; its encoder does not.
      jsonEvent({ id, type, data: data as JSONType, ...withMetadata });
};

/**
 * Metadata has no content type on the wire: bytes that read as JSON come back as JSON.
 *
 * @throws StoreAnswerInvalid if the store left something out that every event has
 */
export const toRecordedEvent = ({ event, commitPosition }: ClientResolved): RecordedEvent => {
  if (event === undefined) throw new StoreAnswerInvalid('an event without a record');
  const recorded = {
    stream: event.streamId,
    revision: toRevision(event.revision),
    position: toPosition(event.position, commitPosition),
    id: event.id,
    type: event.type,
    data: toData(event.data),
    createdAt: event.created.getTime(),
  };
  return event.metadata === undefined ? recorded : { ...recorded, metadata: toData(event.metadata) };
};

const toPosition = (position: ClientPosition | undefined, commitPosition: bigint | undefined): Position => {
  const commit = position?.commit ?? commitPosition;
  if (commit === undefined) throw new StoreAnswerInvalid('an event without a position');
  return commit;
};

/** Bytes are copied: the client's are a view that keeps the whole frame in memory. */
const toData = (data: unknown): EventData =>
  data instanceof Uint8Array ? new Uint8Array(data) : (data as EventData);
