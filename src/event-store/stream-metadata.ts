import { StoreAnswerInvalid } from './errors.js';
import type { EventData, JsonValue, RecordedEvent, StreamLimits } from './event-store.js';

/** The stream that holds the metadata of another. */
export const metadataStreamOf = (stream: string): string => `$$${stream}`;

export const metadataEventType = '$metadata';

type Metadata = Readonly<Record<string, JsonValue | undefined>>;

const isObject = (data: EventData): data is Metadata =>
  typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof Uint8Array);

const metadataIn = (event: RecordedEvent | undefined): Metadata => {
  if (event === undefined) return {};
  if (!isObject(event.data)) throw new StoreAnswerInvalid(`${event.stream} does not hold an object`);
  return event.data;
};

/** The limits that a metadata event states. */
export const limitsIn = (event: RecordedEvent | undefined): StreamLimits => {
  const { $maxCount: maxCount, $tb: truncateBefore } = metadataIn(event);
  return {
    ...(typeof maxCount === 'number' ? { maxCount } : {}),
    // Deleting a stream sets the largest 64-bit number, which is no safe integer; no revision ever reaches either.
    ...(typeof truncateBefore === 'number'
      ? { truncateBefore: Math.min(truncateBefore, Number.MAX_SAFE_INTEGER) }
      : {}),
  };
};

/** The metadata with other limits; what else it says, such as who may read the stream, stays. */
export const withLimits = (event: RecordedEvent | undefined, limits: StreamLimits): Metadata => {
  const others = Object.entries(metadataIn(event)).filter(([key]) => key !== '$maxCount' && key !== '$tb');
  return {
    ...Object.fromEntries(others),
    ...(limits.maxCount === undefined ? {} : { $maxCount: limits.maxCount }),
    ...(limits.truncateBefore === undefined ? {} : { $tb: limits.truncateBefore }),
  };
};
