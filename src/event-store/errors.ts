import { inspect } from 'node:util';
import type { ExpectedRevision, Revision } from './event-store.js';

/** What the event store can answer instead of doing what it was asked. */
export abstract class EventStoreError extends Error {
  /** Whether the same call, unchanged, may be made again. */
  abstract readonly mayRetry: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export interface Conflict {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** The last revision known; the stream may have grown since. */
  readonly actual: Revision | 'no-stream';
}

/** Others wrote first: nothing of this append is in the log, nor will it be. Decide anew on what they wrote. */
export class AppendConflict extends EventStoreError implements Conflict {
  readonly mayRetry = false;
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly actual: Revision | 'no-stream';

  constructor({ stream, expected, actual }: Conflict, options?: ErrorOptions) {
    super(`${stream} is at ${actual}, expected ${expected}`, options);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The encoded events exceed the limit of one append. Nothing was written. */
export class AppendTooLarge extends EventStoreError {
  readonly mayRetry = false;
  readonly bytes: number | undefined;
  readonly bytesMax: number;

  constructor(size: { readonly bytes?: number; readonly bytesMax: number }, options?: ErrorOptions) {
    super(`an append of ${size.bytes ?? 'too many'} bytes exceeds the ${size.bytesMax} allowed`, options);
    this.bytes = size.bytes;
    this.bytesMax = size.bytesMax;
  }
}

/** The store said no, for the stated reason, and surely wrote nothing. */
export class AppendRefused extends EventStoreError {
  readonly mayRetry = true;

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the store refused the append: ${reason}`, options);
  }
}

/** Nothing can be read from or appended to this stream any more. */
export class StreamTombstoned extends EventStoreError {
  readonly mayRetry = false;

  constructor(
    readonly stream: string,
    options?: ErrorOptions,
  ) {
    super(`${stream} is deleted for good`, options);
  }
}

export class AccessDenied extends EventStoreError {
  readonly mayRetry = false;

  constructor(what: string, options?: ErrorOptions) {
    super(`access denied: ${what}`, options);
  }
}

/** The store could not be reached within the limit. Nothing was sent that could have written anything. */
export class StoreUnavailable extends EventStoreError {
  readonly mayRetry = true;
}

/** Something was sent and its outcome is not known. Only the same append, with the same ids, may be repeated. */
export class AppendOutcomeUnknown extends EventStoreError {
  readonly mayRetry: boolean;

  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    options?: ErrorOptions,
  ) {
    super(`it is not known whether the append to ${stream} at ${expected} was written`, options);
    // Repeating an append at any revision could write it twice.
    this.mayRetry = expected !== 'any';
  }
}

/** The limit of a wait passed. Surely nothing was written: where something may have been, it is `AppendOutcomeUnknown`. */
export class WaitExpired extends EventStoreError {
  readonly mayRetry = true;
}

/** The caller's signal ended the wait, and surely nothing was written; `cause` is the signal's reason. */
export class WaitAborted extends EventStoreError {
  readonly mayRetry = true;
}

export class EventStoreClosed extends EventStoreError {
  readonly mayRetry = false;
}

/** The store answered something that cannot be, such as a revision that is no safe integer. */
export class StoreAnswerInvalid extends EventStoreError {
  readonly mayRetry = false;
}

export interface Misfit {
  readonly argument: string;
  readonly given: unknown;
  /** What it may be, in words. */
  readonly allowed: string;
}

/** The call asked for something that cannot be. Nothing was sent. */
export class InvalidArgument extends EventStoreError {
  readonly mayRetry = false;
  readonly argument: string;

  constructor({ argument, given, allowed }: Misfit, options?: ErrorOptions) {
    super(`${argument} is ${inspect(given, { maxStringLength: 100 })}, but may only be ${allowed}`, options);
    this.argument = argument;
  }
}

/** The request itself is wrong, by the store's word. It did nothing, and the same request will never do. */
export class RequestRefused extends EventStoreError {
  readonly mayRetry = false;

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`the store refused the request: ${reason}`, options);
  }
}

/** The address of the store cannot be used. Says why, without the credentials that the address may hold. */
export class StoreAddressInvalid extends EventStoreError {
  readonly mayRetry = false;
}
