import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { textOf } from '../../../src/embedded-store/grpc/wire.js';
import { DataDirectory } from '../../../src/embedded-store/data-directory.js';
import { Engine } from '../../../src/embedded-store/engine.js';
import { emptyBytes } from '../../../src/embedded-store/stored-event.js';
import { withTemporaryDirectory } from '../../kit/temporary-directory.js';

const append = async (stream: string, type: string): Promise<unknown> =>
  withTemporaryDirectory(async (path) => {
    const directory = DataDirectory.acquire(path);
    const onLogFailure = (error: Error) => {
      throw error;
    };
    const engine = new Engine(directory.openLog(), { now: () => 0, onLogFailure });
    const event = { id: randomUUID(), type, isJson: false, data: emptyBytes, metadata: emptyBytes };
    try {
      return await engine.append({ stream, expectedRevision: 'any', events: [event] });
    } catch (error) {
      return error;
    } finally {
      await engine.close();
      directory.release();
    }
  });

test.each([
  ['a\0b', 'type', 'stream name has a NUL character'],
  ['stream', 'a\0b', 'event type has a NUL character'],
  ['', 'type', 'stream name is empty'],
  ['stream', '', 'event type is empty'],
  ['s'.repeat(1_025), 'type', 'stream name has more than 1024 bytes'],
])('an append to %j of type %j is refused', async (stream, type, message) => {
  expect(await append(stream, type)).toMatchObject({ name: 'InvalidRequest', message });
});

test('a byte order mark is part of a name', () => {
  expect(textOf(Buffer.from('\uFEFFname'), 'name')).toBe('\uFEFFname');
});
