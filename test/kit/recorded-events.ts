import type { Event } from '../../src/core/tracker/event.js';
import { encodeEvent, type EncodingContext } from '../../src/event-store/event-codec.js';
import type { JsonValue, NewEvent, RecordedEvent } from '../../src/event-store/event-store.js';
import { firstPreviousHash } from '../../src/event-store/hash-chain.js';

const throughJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

/** A stored event as it comes back from the store. */
export const recordedAs = (
  { id, type, data, metadata }: Omit<NewEvent, 'id'> & { readonly id?: string },
  revision = 0,
): RecordedEvent => ({
  stream: 'tracker-0',
  revision,
  position: BigInt(revision),
  id: id ?? '00000000-0000-4000-8000-000000000000',
  type,
  data: throughJson(data),
  ...(metadata !== undefined && { metadata: throughJson(metadata) }),
  createdAt: 0,
});

/** What an event is stored with unless a test says otherwise. */
export const anOrigin: EncodingContext = {
  id: '00000000-0000-4000-8000-000000000000',
  previousHash: firstPreviousHash,
  term: 1,
  causationId: 'clock',
};

/** The events as a log that holds them and nothing else. */
export const recordedLog = (events: readonly Event[]): RecordedEvent[] => {
  let previousHash = firstPreviousHash;
  return events.map((event, revision) => {
    const { stored, hash } = encodeEvent(event, { ...anOrigin, previousHash });
    previousHash = hash;
    return recordedAs(stored, revision);
  });
};
