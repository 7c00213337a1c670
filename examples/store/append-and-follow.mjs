/**
 * Appends to a stream, shows what a conflict says, and follows the stream: history first, then live.
 *
 *   longshore store --data ./data        (or: node dist/cli/main.js store --data ./data)
 *   node examples/store/append-and-follow.mjs [esdb://127.0.0.1:2113?tls=false]
 */
import { EventStoreDBClient, NO_STREAM, WrongExpectedVersionError, jsonEvent } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';

const [url = 'esdb://127.0.0.1:2113?tls=false'] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);
const voyage = `voyage-${randomUUID()}`;
const event = (type, data) => jsonEvent({ type, data });

const { nextExpectedRevision: revision } = await client.appendToStream(
  voyage,
  [event('ship-loaded.v1', { containers: 120 }), event('ship-departed.v1', { from: 'Rotterdam' })],
  { expectedRevision: NO_STREAM },
);
console.log(`two events are on disk, the last one at revision ${revision}`);

try {
  await client.appendToStream(voyage, event('ship-loaded.v1', { containers: 7 }), {
    expectedRevision: NO_STREAM,
  });
} catch (error) {
  if (!(error instanceof WrongExpectedVersionError)) throw error;
  console.log(
    `a writer who did not know of them is refused: the stream is at revision ${error.actualVersion}`,
  );
}

let arrival;
const subscription = client.subscribeToStream(voyage);
subscription.once('caughtUp', () => {
  console.log('caught up; what comes now is new');
  arrival = client.appendToStream(voyage, event('ship-arrived.v1', { at: 'Halifax' }), {
    expectedRevision: revision,
  });
});
for await (const { event: received } of subscription) {
  console.log(`${received.revision} ${received.type} ${JSON.stringify(received.data)}`);
  if (received.type === 'ship-arrived.v1') break;
}
await arrival;
await client.dispose();
