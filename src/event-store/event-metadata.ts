import type { Event } from '../core/tracker/event.js';

/** What is known about a stored event besides what happened. The names with `$` are EventStoreDB's own. */
export interface EventMetadata {
  /** What the event is about: the job, else the node, else the cluster or the term. */
  readonly $correlationId: string;
  /** The input that it was decided on, or `clock`. */
  readonly $causationId: string;
  /** The leadership it was decided in; 0 before the first. */
  readonly term: number;
  /** Who asked. Absent where nobody did: for facts and the clock. */
  readonly by?: string;
  /** Of the event and all before it; see `hash-chain.ts`. */
  readonly hash: string;
}

/** Where an event comes from. */
export interface Origin {
  readonly term: number;
  /** The id of the input, or `clock`. */
  readonly causationId: string;
  /** Who asked, if somebody did. */
  readonly by?: string;
}

/** All but the hash, in canonical order. */
export const metadataOf = (event: Event, { term, causationId, by }: Origin): Omit<EventMetadata, 'hash'> => {
  const $correlationId = correlationOf(event, term);
  return by === undefined
    ? { $causationId: causationId, $correlationId, term }
    : { $causationId: causationId, $correlationId, by, term };
};

/** What the event is about. Those that are about many things, or about none, are of the term. */
const correlationOf = (event: Event, term: number): string => {
  if ('jobId' in event) return event.jobId;
  if ('nodeId' in event) return event.nodeId;
  if ('clusterId' in event) return event.clusterId;
  return `term-${term}`;
};

/** Of SHA-256 in hexadecimal. Whether it is the right one is for `verifyLink` to say. */
const hashLength = 64;

/** Nothing if it is not what we write beside an event. Further fields may stand there; they are in the hash like the rest. */
export const metadataIn = (stored: Readonly<Record<string, unknown>>): EventMetadata | undefined => {
  const { $correlationId, $causationId, term, by, hash } = stored;
  const isWhole =
    typeof $correlationId === 'string' &&
    typeof $causationId === 'string' &&
    typeof term === 'number' &&
    Number.isSafeInteger(term) &&
    typeof hash === 'string' &&
    hash.length === hashLength;
  if (!isWhole) return undefined;
  if (by === undefined) return { $correlationId, $causationId, term, hash };
  return typeof by === 'string' ? { $correlationId, $causationId, term, by, hash } : undefined;
};

/** Data or metadata that is a JSON object, neither bytes nor a list. */
export const isObject = (data: unknown): data is Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof Uint8Array);
