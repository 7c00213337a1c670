import { describe, expect, test } from '@jest/globals';
import { InvalidArgument } from '../../../src/event-store/errors.js';
import type { EventStore } from '../../../src/event-store/event-store.js';
import { appendOne, newEvent, readAll, withFakeStore } from '../../kit/fake-store-client.js';

type Call = (client: EventStore) => unknown;

const appendAt =
  (expectedRevision: unknown): Call =>
  (client) =>
    client.append('s', [newEvent()], { expectedRevision: expectedRevision as 'any' });

const appendTo =
  (stream: string): Call =>
  (client) =>
    client.append(stream, [newEvent()], { expectedRevision: 'any' });

const appendEvent =
  (event: object): Call =>
  (client) =>
    client.append('s', [{ ...newEvent(), ...event }], { expectedRevision: 'any' });

const read =
  (options: object): Call =>
  (client) =>
    client.readStream('s', options);

const follow =
  (stream: string, after?: unknown): Call =>
  (client) =>
    client.subscribeToStream(stream, { after: after as number });

const followPrefixes =
  (prefixes: readonly string[], after?: unknown): Call =>
  (client) =>
    client.subscribeToStreams(prefixes, { after: after as bigint });

const limit =
  (limits: object): Call =>
  (client) =>
    client.setStreamLimits('s', limits);

const badCalls: readonly (readonly [argument: string, given: string, call: Call])[] = [
  ['expectedRevision', '-1', appendAt(-1)],
  ['expectedRevision', '1.5', appendAt(1.5)],
  ['expectedRevision', 'NaN', appendAt(NaN)],
  ['expectedRevision', '9007199254740992', appendAt(2 ** 53)],
  ['expectedRevision', 'undefined', appendAt(undefined)],
  ['expectedRevision', "'stream-exists'", appendAt('stream-exists')],
  ['stream', "''", appendTo('')],
  ['stream', String.raw`'a\uD800'`, appendTo('a\ud800')],
  ['stream', String.raw`'a\x00'`, appendTo('a\0')],
  ['the id of an event', "'x'", appendEvent({ id: 'x' })],
  ['the type of an event', "''", appendEvent({ type: '' })],
  ['the type of an event', String.raw`'\uDC00'`, appendEvent({ type: '\udc00' })],
  ['stream', "''", (client) => client.readStream('')],
  ['pageSize', '0', read({ pageSize: 0 })],
  ['pageSize', '-1', read({ pageSize: -1 })],
  ['pageSize', '1.5', read({ pageSize: 1.5 })],
  ['maxCount', '-1', read({ maxCount: -1 })],
  ['maxCount', 'NaN', read({ maxCount: NaN })],
  ['from', "'bogus'", read({ from: 'bogus' })],
  ['from', '-1', read({ from: -1 })],
  ['from', '9007199254740992', read({ from: 2 ** 53 })],
  ['direction', "'up'", read({ direction: 'up' })],
  ['timeoutMs', '-1', read({ timeoutMs: -1 })],
  ['stream', "''", follow('')],
  ['after', '-1', follow('s', -1)],
  ['after', '1.5', follow('s', 1.5)],
  ['prefixes', '[]', followPrefixes([])],
  ['a prefix', "''", followPrefixes(['s', ''])],
  ['after', '-1n', followPrefixes(['s'], -1n)],
  ['after', '9223372036854775808n', followPrefixes(['s'], 2n ** 63n)],
  ['after', '1', followPrefixes(['s'], 1)],
  ['stream', "''", (client) => client.streamLimits('')],
  ['timeoutMs', 'NaN', (client) => client.streamLimits('s', { timeoutMs: NaN })],
  ['maxCount', '0', limit({ maxCount: 0 })],
  ['maxCount', '-5', limit({ maxCount: -5 })],
  ['maxCount', 'NaN', limit({ maxCount: NaN })],
  ['truncateBefore', '-1', limit({ truncateBefore: -1 })],
  ['truncateBefore', 'NaN', limit({ truncateBefore: NaN })],
];

const outcomeOf = async (call: Call, client: EventStore): Promise<unknown> => {
  try {
    return await call(client);
  } catch (error) {
    return error;
  }
};

describe('arguments that cannot be', () => {
  test('are refused by their name, with what they were, before anything is sent', async () => {
    await withFakeStore(async ({ store, client }) => {
      for (const [argument, given, call] of badCalls) {
        const outcome = await outcomeOf(call, client);
        expect(outcome).toBeInstanceOf(InvalidArgument);
        expect(outcome).toMatchObject({ argument, mayRetry: false });
        // How escapes are written depends on the version of Node.js.
        const message = (outcome as Error).message.toLowerCase();
        expect(message).toContain(`${argument} is ${given}, but may only be `.toLowerCase());
      }
      expect([store.appends.length, store.readCount]).toEqual([0, 0]);
    });
  });

  test('the outermost that can be are taken', async () => {
    await withFakeStore(async ({ client }) => {
      await appendOne(client, 'ü🚀', 'no-stream');
      const options = { from: Number.MAX_SAFE_INTEGER, maxCount: 0, pageSize: 1, timeoutMs: 0 };
      expect(await readAll(client.readStream('ü🚀', options))).toEqual([]);
      await client.setStreamLimits('s', { maxCount: 1, truncateBefore: Number.MAX_SAFE_INTEGER });
      client.subscribeToStream('s', { after: 0 });
      client.subscribeToStreams(['s'], { after: 2n ** 63n - 1n });
    });
  });
});
