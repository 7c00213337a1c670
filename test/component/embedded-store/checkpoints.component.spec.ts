import { EventStoreDBClient, eventTypeFilter, jsonEvent, START } from '@eventstore/db-client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStoreServer, type RunningServer } from '../../kit/store-server.js';

let running: RunningServer;
beforeAll(async () => (running = await startStoreServer()));
afterAll(async () => running.remove());

test('a filtered subscription has a checkpoint for each 32 events looked at, if it names no window', async () => {
  const client = new EventStoreDBClient({ endpoint: running.endpoint }, { insecure: true });
  const events = Array.from({ length: 70 }, () => jsonEvent({ type: 'tick', data: {} }));
  const { position: last } = await client.appendToStream('ticks', events);
  const positions: bigint[] = [];
  await new Promise<void>((resolve) => {
    const checkpointReached = (_: unknown, { commit }: { commit: bigint }) => {
      positions.push(commit);
      if (commit === last?.commit) resolve();
    };
    const filter = eventTypeFilter({ prefixes: ['tock'], checkpointInterval: 1, checkpointReached });
    client.subscribeToAll({ fromPosition: START, filter }).on('error', () => undefined);
  });
  expect(positions).toEqual([31n, 63n, 70n]);
  await client.dispose();
});
