import { InvalidArgumentError } from 'commander';
import type { Instant } from '../../core/instant.js';
import type { Revision } from '../../event-store/event-store.js';
import { isoTime } from './lines.js';

/** A place in the log. */
export type Point =
  | { readonly kind: 'end' }
  | { readonly kind: 'revision'; readonly revision: Revision }
  | { readonly kind: 'instant'; readonly instant: Instant };

/** From here on a number is milliseconds since 1970: this is in 1973, and no log has so many events. */
const instantMin = 1e11;

/** With a zone, or a whole day, which begins in UTC: what a place without one means, depends on where it is read. */
const isoForm = /^(?<day>\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u;

/** @throws InvalidArgumentError if it is neither a revision nor a time */
export const parsePoint = (text: string): Point => {
  const number = Number(text);
  if (/^\d+$/u.test(text) && Number.isSafeInteger(number)) {
    return number < instantMin
      ? { kind: 'revision', revision: number }
      : { kind: 'instant', instant: number };
  }
  const day = isoForm.exec(text)?.groups?.['day'];
  const instant = Date.parse(text);
  if (day === undefined || Number.isNaN(instant) || !isDay(day)) {
    throw new InvalidArgumentError(
      'It must be a revision, or a time: 2026-01-31, 2026-01-31T09:30:00Z, 2026-01-31T09:30+02:00, or milliseconds since 1970.',
    );
  }
  return { kind: 'instant', instant };
};

/** The 30th of February would be read as a day in March. */
const isDay = (day: string): boolean => {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && isoTime(midnight).startsWith(day);
};
