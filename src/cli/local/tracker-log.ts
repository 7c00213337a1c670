import { trackerStreamOf } from '../../aggregate/streams.js';
import { ChainBroken } from '../../event-store/codec-errors.js';
import { isObject } from '../../event-store/event-metadata.js';
import type { EventStore, RecordedEvent, Revision } from '../../event-store/event-store.js';
import { firstPreviousHash, verifyLink } from '../../event-store/hash-chain.js';

const stream = trackerStreamOf('0');

/** An event, and what its link to the one before it says. */
export interface ChainedEvent {
  readonly recorded: RecordedEvent;
  /** Nothing if the link holds. */
  readonly broken: ChainBroken | undefined;
}

/** The newest revision; nothing if there are no events. */
export const headOf = async (store: EventStore): Promise<Revision | undefined> =>
  (await at(store, 'end'))?.revision;

const at = async (store: EventStore, from: Revision | 'end'): Promise<RecordedEvent | undefined> => {
  for await (const [event] of store.readStream(stream, { direction: 'backwards', from, maxCount: 1 }))
    return event;
  return undefined;
};

/**
 * The events from a revision on, to the newest there is or for ever. The chain is verified along the way, from the event before
 * the first; it goes on after a broken link, from the hash that stands there, to find what else is broken.
 *
 * @param signal ends the reading, without an error
 */
export async function* readChain(
  store: EventStore,
  from: Revision,
  { follow, signal }: { readonly follow: boolean; readonly signal: AbortSignal },
): AsyncGenerator<ChainedEvent, void, void> {
  const before = from === 0 ? undefined : await at(store, from - 1);
  const chain = new Chain(before ? (hashIn(before) ?? '') : firstPreviousHash);
  let last = before?.revision;
  for await (const page of store.readStream(stream, { from })) {
    for (const recorded of page) {
      if (signal.aborted) return;
      yield chain.link(recorded);
    }
    last = page.at(-1)?.revision ?? last;
  }
  if (!follow) return;
  const after = last === undefined ? {} : { after: last };
  for await (const { events } of store.subscribeToStream(stream, { ...after, signal })) {
    for (const recorded of events) yield chain.link(recorded);
  }
}

const hashIn = ({ metadata }: RecordedEvent): string | undefined =>
  isObject(metadata) && typeof metadata['hash'] === 'string' ? metadata['hash'] : undefined;

class Chain {
  constructor(private hash: string) {}

  link(recorded: RecordedEvent): ChainedEvent {
    try {
      this.hash = verifyLink(recorded, this.hash);
      return { recorded, broken: undefined };
    } catch (error) {
      if (!(error instanceof ChainBroken)) throw error;
      this.hash = error.found ?? '';
      return { recorded, broken: error };
    }
  }
}
