import { status } from '@grpc/grpc-js';
import {
  AccessDenied,
  AppendConflict,
  AppendRefused,
  AppendTooLarge,
  EventStoreError,
  RequestRefused,
  StreamTombstoned,
} from './errors.js';
import type { ExpectedRevision } from './event-store.js';
import { toRevision } from './client-events.js';
import { NoAnswer, type Endpoint } from './session.js';

/** What the call was about, to say so in the error. */
export interface CallSubject {
  readonly stream: string;
  readonly expected?: ExpectedRevision;
}

/**
 * The client's errors by what they carry, not by class: some surface as the client's own classes, some as raw gRPC errors (an
 * append to a dead server does), and more than one copy of the client may be loaded.
 */
interface ClientError {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly actualVersion?: unknown;
  readonly maxAppendSize?: unknown;
  readonly leader?: Endpoint;
  readonly metadata?: Trailers;
}

interface Trailers {
  get(key: string): readonly unknown[];
  set(key: string, value: string): void;
}

/** gRPC status codes after which the connection is of no use: CANCELLED, UNKNOWN, INTERNAL, UNAVAILABLE. */
const brokenConnectionCodes: ReadonlySet<unknown> = new Set([1, 2, 13, 14]);
/** PERMISSION_DENIED, UNAUTHENTICATED. */
const accessDeniedCodes: ReadonlySet<unknown> = new Set([7, 16]);

/** What this process could not put on the wire. The transport reports it as INTERNAL, although no connection has broken. */
const unsendable = /\bRequest message serialization failure: /u;

/** Begins how the embedded store words a definite refusal of an append. */
export const refusalPrefix = 'append-refused: ';

/** The same, as the client passes it on. */
const refusal = /\bappend-refused: (?<reason>.*)$/su;

export const isStreamNotFound = (error: unknown): boolean => asClientError(error).type === 'stream-not-found';

/** The port's error where the store gave an answer; `NoAnswer` where what became of the call is open. */
export const toStoreError = (error: unknown, subject: CallSubject): EventStoreError | NoAnswer => {
  if (error instanceof EventStoreError || error instanceof NoAnswer) return error;
  return toAnswer(error, subject) ?? toNoAnswer(error);
};

const toAnswer = (error: unknown, { stream, expected }: CallSubject): EventStoreError | undefined => {
  const { type, code, message, actualVersion, maxAppendSize } = asClientError(error);
  const options = { cause: error };
  switch (type) {
    case 'wrong-expected-version': {
      const actual = typeof actualVersion === 'bigint' ? toRevision(actualVersion) : 'no-stream';
      return new AppendConflict({ stream, expected: expected ?? 'any', actual }, options);
    }
    case 'maximum-append-size-exceeded':
      return new AppendTooLarge({ bytesMax: Number(maxAppendSize) }, options);
    case 'stream-deleted':
      return new StreamTombstoned(stream, options);
    case 'access-denied':
      return new AccessDenied(stream, options);
    default:
  }
  if (accessDeniedCodes.has(code)) return new AccessDenied(stream, options);
  const text = typeof message === 'string' ? message : '';
  const reason = refusal.exec(text)?.groups?.['reason'];
  if (reason !== undefined) return new AppendRefused(reason, options);
  if (code !== status.INVALID_ARGUMENT && !unsendable.test(text)) return undefined;
  return expected === undefined ? new RequestRefused(text, options) : new AppendRefused(text, options);
};

const toNoAnswer = (error: unknown): NoAnswer => {
  const { type, code, message, leader } = asClientError(error);
  const text = typeof message === 'string' && message !== '' ? message : 'no answer';
  const endsSession = brokenConnectionCodes.has(code) || type === 'not-leader';
  return new NoAnswer(text, { cause: error, endsSession, ...(isUsable(leader) ? { leader } : {}) });
};

const isUsable = (leader: Endpoint | undefined): leader is Endpoint =>
  leader !== undefined && leader.address !== '' && Number.isInteger(leader.port);

/** Trailers that the client's error classes read without looking whether they are there. */
const expectedTrailers = [
  'leader-endpoint-host',
  'leader-endpoint-port',
  'stream-name',
  'expected-version',
  'maximum-append-size',
];

/** Keeps the client from throwing, inside an event handler, at an error whose trailers are not complete. */
export const completeTrailers = (error: unknown): void => {
  const trailers = asClientError(error).metadata;
  if (trailers === undefined || trailers.get('exception').length === 0) return;
  for (const key of expectedTrailers) if (trailers.get(key).length === 0) trailers.set(key, '');
};

const asClientError = (error: unknown): ClientError =>
  typeof error === 'object' && error !== null ? error : { message: String(error) };
