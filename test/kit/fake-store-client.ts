import { randomUUID } from 'node:crypto';
import type { EventStoreClientOptions } from '../../src/event-store/client-options.js';
import { EventStoreClient } from '../../src/event-store/event-store-client.js';
import type { AppendReceipt, NewEvent, RecordedEvent } from '../../src/event-store/event-store.js';
import { FakeStore } from './fake-store.js';

/** Short limits, so that a test of what takes too long takes no time. */
export const quickOptions: EventStoreClientOptions = {
  timeoutMs: 5_000,
  answerTimeoutMs: 300,
  openTimeoutMs: 1_000,
  backoff: { firstMs: 2, maxMs: 20 },
  silenceMs: 100,
};

export interface FakeStoreSetup {
  readonly store: FakeStore;
  readonly client: EventStoreClient;
}

/** Runs `test` with a fake store and a client of it, and leaves nothing running. */
export const withFakeStore = async (
  test: (setup: FakeStoreSetup) => Promise<void>,
  options: EventStoreClientOptions = {},
  limitMs = 4_500,
): Promise<void> => {
  const store = await FakeStore.start();
  const client = EventStoreClient.connect(store.connectionString, { ...quickOptions, ...options });
  // Ends before the test's own limit: a client left behind would try to reconnect for ever and keep the run alive.
  let limit: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    limit = setTimeout(() => {
      reject(new Error(`not over within ${limitMs} ms`));
    }, limitMs);
  });
  try {
    await Promise.race([test({ store, client }), expired]);
  } finally {
    clearTimeout(limit);
    await client.close();
    store.vanish();
  }
};

export const newEvent = (data: NewEvent['data'] = {}): NewEvent => ({
  id: randomUUID(),
  type: 'job-placed.v1',
  data,
});

export const appendOne = (
  client: EventStoreClient,
  stream: string,
  expectedRevision: number | 'no-stream' | 'any',
): Promise<AppendReceipt> => client.append(stream, [newEvent()], { expectedRevision });

export const readAll = async (
  pages: AsyncIterable<readonly RecordedEvent[]>,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const page of pages) events.push(...page);
  return events;
};
