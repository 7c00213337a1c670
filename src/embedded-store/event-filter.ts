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

function matcherOf(source: string): (name: string) => boolean {
  try {
    const expression = new RegExp(source, 'u');
    return (name) => expression.test(name);
  } catch {
    return lenientMatcherOf(source);
  }
}

/** Some expressions that EventStoreDB accepts escape more than the `u` flag allows, such as `\$` before a letter. */
function lenientMatcherOf(source: string): (name: string) => boolean {
  try {
    const expression = new RegExp(source);
    return (name) => expression.test(name);
  } catch (error) {
    throw new InvalidRequest(`filter.regex ${JSON.stringify(source)} is not a regular expression`, {
      cause: error,
    });
  }
}
