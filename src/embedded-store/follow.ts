import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from './engine.js';
import { StreamTombstoned } from './errors.js';
import { everyEvent, type EventPredicate } from './event-filter.js';
import { limits } from './limits.js';
import type { StoredEvent } from './stored-event.js';

/** What a subscriber is told, in order. */
export type FollowItem =
  | { readonly kind: 'events'; readonly events: readonly StoredEvent[] }
  /** Everything up to this position was looked at, whether it was wanted or not. */
  | { readonly kind: 'checkpoint'; readonly position: number }
  /** What comes from here on is new. Said again after each `fell-behind`. */
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

export interface FollowAllOptions {
  /** Exclusive. */
  readonly after: number | 'start' | 'end';
  /** @default all events, without checkpoints */
  readonly matches?: EventPredicate;
  /** Events looked at from one checkpoint to the next. */
  readonly checkpointInterval?: number;
}

/** A reader's place. It holds no events, so a slow reader costs nothing and can neither miss nor repeat one. */
interface Cursor {
  /** How many events stand between the cursor and the head. */
  backlog(): number;
  /** What comes next, moving on; empty at the head. */
  read(): readonly FollowItem[];
  /** Said once each time the head is reached after history. */
  arrived(): readonly FollowItem[];
}

export function followStream(
  engine: Engine,
  stream: string,
  after: number | 'start' | 'end',
  signal: AbortSignal,
): AsyncGenerator<FollowItem> {
  return follow(engine, streamCursor(engine, stream, after), signal);
}

export function followAll(
  engine: Engine,
  options: FollowAllOptions,
  signal: AbortSignal,
): AsyncGenerator<FollowItem> {
  return follow(engine, allCursor(engine, options), signal);
}

/** History page by page, then live: at the head it waits for the log to grow, and reads on from where it stands. */
async function* follow(engine: Engine, cursor: Cursor, signal: AbortSignal): AsyncGenerator<FollowItem> {
  let isLive = false;
  while (!signal.aborted) {
    if (isLive && cursor.backlog() > limits.liveBacklogEventsMax) {
      isLive = false;
      yield { kind: 'fell-behind' };
    }
    const items = cursor.read();
    yield* items;
    if (cursor.backlog() > 0) {
      await nextTurn();
    } else {
      if (!isLive) yield* cursor.arrived();
      isLive = true;
      if (cursor.backlog() === 0 && !(await engine.pulse.next(signal))) return;
    }
  }
}

function streamCursor(engine: Engine, stream: string, after: number | 'start' | 'end'): Cursor {
  const last = () => engine.lastRevisionOf(stream) ?? -1;
  let next = after === 'start' ? 0 : after === 'end' ? last() + 1 : after + 1;
  return {
    backlog: () => (engine.isTombstoned(stream) ? 1 : Math.max(0, last() - next + 1)),
    read: () => {
      const page = engine.readStream({
        stream,
        direction: 'forwards',
        from: next,
        maxCount: limits.pageEventsMax,
      });
      if (page.kind === 'tombstoned') throw new StreamTombstoned(stream);
      if (page.kind === 'not-found') {
        next = Math.max(next, last() + 1);
        return [];
      }
      next = page.next ?? Math.max(next, last() + 1);
      return page.events.length === 0 ? [] : [{ kind: 'events', events: page.events }];
    },
    arrived: () => [{ kind: 'caught-up' }],
  };
}

function allCursor(
  engine: Engine,
  { after, matches = everyEvent, checkpointInterval }: FollowAllOptions,
): Cursor {
  const head = () => engine.lastPosition;
  let next = after === 'start' ? 0 : after === 'end' ? head() + 1 : after + 1;
  let untilCheckpoint = checkpointInterval ?? Infinity;
  return {
    backlog: () => Math.max(0, head() - next + 1),
    read: () => {
      const maxConsidered = Math.min(limits.pageEventsMax, untilCheckpoint);
      const maxCount = limits.pageEventsMax;
      const page = engine.readAll({ direction: 'forwards', from: next, maxCount, matches, maxConsidered });
      if (page.considered === undefined) return [];
      untilCheckpoint -= page.considered - next + 1;
      next = page.considered + 1;
      const items: FollowItem[] = page.events.length === 0 ? [] : [{ kind: 'events', events: page.events }];
      if (untilCheckpoint <= 0) {
        untilCheckpoint = checkpointInterval ?? Infinity;
        items.push({ kind: 'checkpoint', position: page.considered });
      }
      return items;
    },
    arrived: () =>
      checkpointInterval === undefined
        ? [{ kind: 'caught-up' }]
        : [{ kind: 'checkpoint', position: next - 1 }, { kind: 'caught-up' }],
  };
}
