import type { Readable } from 'node:stream';
import { toRecordedEvent, type ClientResolved } from './client-events.js';
import type { RecordedEvent } from './event-store.js';

/** The client's read, as far as it is used here. */
export type ClientRead = Readable & { cancel(): Promise<void> };

/**
 * All events of a bounded read. It is read to its end or cancelled: leaving a `for await` over it would leak the call, and after a
 * cancel the client tells nothing any more, neither an end nor an error.
 */
export const collectPage = async (
  read: ClientRead,
  signal: AbortSignal,
): Promise<readonly RecordedEvent[]> => {
  const resolved: ClientResolved[] = [];
  let cancel = (): void => undefined;
  await new Promise<void>((resolve, reject) => {
    cancel = () => {
      read.cancel().catch(() => undefined);
      reject(signal.reason as Error);
    };
    read.on('data', (event: ClientResolved) => resolved.push(event));
    read.on('end', resolve);
    // This listener stays for good: an error that comes after cancelling would otherwise end the process.
    read.on('error', reject);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  }).finally(() => {
    signal.removeEventListener('abort', cancel);
  });
  return resolved.map(toRecordedEvent);
};
