import { InvalidArgument } from './errors.js';
import type {
  ExpectedRevision,
  NewEvent,
  Position,
  ReadOptions,
  Revision,
  StreamLimits,
  WaitOptions,
} from './event-store.js';

/**
 * What callers may ask for is judged before anything is sent: the official client notices a bad argument late, when it ends the
 * session of everyone, or not at all.
 */
const check = (isAllowed: boolean, argument: string, given: unknown, allowed: string): void => {
  if (!isAllowed) throw new InvalidArgument({ argument, given, allowed });
};

const wholeNumber = (min: number): string => `a whole number from ${min} to ${Number.MAX_SAFE_INTEGER}`;

const isWholeNumber = (given: unknown, min: number): boolean =>
  Number.isSafeInteger(given) && (given as number) >= min;

const checkWholeNumber = (argument: string, given: number | undefined, min: number): void => {
  check(given === undefined || isWholeNumber(given, min), argument, given, wholeNumber(min));
};

/** Half of a surrogate pair has no UTF-8, and names with a NUL are cut off where they are handled in C. */
const isName = (given: unknown): boolean =>
  typeof given === 'string' && given !== '' && !/[\p{Surrogate}\0]/u.test(given);

const checkName = (argument: string, given: unknown): void => {
  check(isName(given), argument, given, 'well-formed text that is not empty, without a NUL');
};

const checkOneOf = (argument: string, given: string | undefined, allowed: readonly string[]): void => {
  check(given === undefined || allowed.includes(given), argument, given, `'${allowed.join("' or '")}'`);
};

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

export const checkStreamName = (stream: string): void => {
  checkName('stream', stream);
};

export const checkTimeout = ({ timeoutMs }: WaitOptions): void => {
  const isAllowed = timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs >= 0);
  check(isAllowed, 'timeoutMs', timeoutMs, 'a number from 0 to Infinity');
};

export const checkAppend = (
  stream: string,
  events: readonly NewEvent[],
  expectedRevision: ExpectedRevision,
): void => {
  checkStreamName(stream);
  const isExpectable =
    expectedRevision === 'any' || expectedRevision === 'no-stream' || isWholeNumber(expectedRevision, 0);
  const expectable = `'no-stream', 'any' or ${wholeNumber(0)}`;
  check(isExpectable, 'expectedRevision', expectedRevision, expectable);
  for (const { id, type } of events) {
    check(typeof id === 'string' && uuid.test(id), 'the id of an event', id, 'a UUID');
    checkName('the type of an event', type);
  }
};

export const checkRead = (stream: string, options: ReadOptions): void => {
  const { direction, from, maxCount, pageSize } = options;
  checkStreamName(stream);
  checkOneOf('direction', direction, ['forwards', 'backwards']);
  const isPlace = from === undefined || from === 'start' || from === 'end' || isWholeNumber(from, 0);
  check(isPlace, 'from', from, `'start', 'end' or ${wholeNumber(0)}`);
  checkWholeNumber('maxCount', maxCount, 0);
  checkWholeNumber('pageSize', pageSize, 1);
  checkTimeout(options);
};

export const checkStreamSubscription = (stream: string, after: Revision | undefined): void => {
  checkStreamName(stream);
  checkWholeNumber('after', after, 0);
};

/** Positions are signed 64-bit numbers at the store. */
const positionMax = 2n ** 63n - 1n;

export const checkPrefixesSubscription = (prefixes: readonly string[], after: Position | undefined): void => {
  check(Array.isArray(prefixes) && prefixes.length > 0, 'prefixes', prefixes, 'a list that is not empty');
  for (const prefix of prefixes) checkName('a prefix', prefix);
  const isPosition =
    after === undefined || (typeof after === 'bigint' && after >= 0n && after <= positionMax);
  check(isPosition, 'after', after, `a bigint from 0 to ${positionMax}`);
};

export const checkStreamLimits = (stream: string, { maxCount, truncateBefore }: StreamLimits): void => {
  checkStreamName(stream);
  checkWholeNumber('maxCount', maxCount, 1);
  checkWholeNumber('truncateBefore', truncateBefore, 0);
};
