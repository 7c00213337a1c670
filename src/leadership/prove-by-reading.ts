import { LeadershipLost } from './leadership-lost.js';
import { isObject, metadataIn } from '../event-store/event-metadata.js';
import type { EventStore } from '../event-store/event-store.js';

interface ProofOptions {
  readonly store: EventStore;
  readonly stream: string;
  /** The term that is ours. */
  readonly term: number;
  readonly signal: AbortSignal;
}

/**
 * The proof of leadership that writes nothing: the last event of the log, as the leader of the store has it, is of our term
 * (P2).
 *
 * @throws LeadershipLost if it is of another
 * @throws the store's own errors, which prove nothing
 */
export const proveByReading = async ({ store, stream, term, signal }: ProofOptions): Promise<void> => {
  const last = { direction: 'backwards', maxCount: 1, requiresLeader: true, signal } as const;
  for await (const page of store.readStream(stream, last)) {
    const event = page[0];
    if (!event) continue;
    const found = isObject(event.metadata) ? metadataIn(event.metadata)?.term : undefined;
    if (found === term) return;
    throw new LeadershipLost(`the last event is of term ${found ?? 'unknown'}; ours is ${term}`);
  }
  throw new LeadershipLost(`${stream} is empty, and term ${term} is in it`);
};
