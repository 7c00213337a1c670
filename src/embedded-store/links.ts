import type { Engine } from './engine.js';
import type { StoredEvent } from './stored-event.js';

/** The type of an event that stands for another one: its data is `REVISION@STREAM`. */
const linkType = '$>';

export const isLink = (event: StoredEvent): boolean => event.type === linkType;

/**
 * The event that a link stands for; undefined if it is not there (any more), or the reader may not see its stream.
 *
 * @param mayRead whether the reader may see a stream
 */
export function targetOf(
  link: StoredEvent,
  engine: Engine,
  mayRead: (stream: string) => boolean,
): StoredEvent | undefined {
  const [, revision, stream] = /^(\d+)@(.+)$/s.exec(Buffer.from(link.data).toString('utf8')) ?? [];
  if (revision === undefined || stream === undefined || !mayRead(stream)) return undefined;
  const from = Number(revision);
  const page = engine.readStream({ stream, direction: 'forwards', from, maxCount: 1 });
  const [event] = page.kind === 'events' ? page.events : [];
  return event?.revision === from ? event : undefined;
}
