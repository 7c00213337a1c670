import { RE2JS } from 're2js';
import { InvalidRequest } from './errors.js';
import type { StoredEvent } from './stored-event.js';

/** Which events of the whole log a reader wants: by stream name or event type, by prefixes or by a regular expression. */
export interface EventFilter {
  readonly on: 'stream' | 'type';
  readonly prefixes?: readonly string[];
  readonly regex?: string;
}

export type EventPredicate = (event: StoredEvent) => boolean;

export const everyEvent: EventPredicate = () => true;

/** @throws InvalidRequest if the expression is not a regular expression */
export function predicateOf({ on, prefixes = [], regex }: EventFilter): EventPredicate {
  const matches = regex
    ? matcherOf(regex)
    : (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  return on === 'stream' ? (event) => matches(event.stream) : (event) => matches(event.type);
}

/** In linear time, whatever the expression: JavaScript's own would let any reader stop the store with one that backtracks. */
function matcherOf(source: string): (name: string) => boolean {
  try {
    const expression = RE2JS.compile(source);
    return (name) => expression.matcher(name).find();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidRequest(`filter.regex ${JSON.stringify(source)} cannot be used: ${reason}`, {
      cause: error,
    });
  }
}
