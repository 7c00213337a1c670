import { describe, expect, jest, test } from '@jest/globals';
import { scopeOfCall } from '../../../src/event-store/scope.js';
import { systemTiming } from '../../../src/event-store/timing.js';
import { newEvent, withFakeStore } from '../../kit/fake-store-client.js';
import { VirtualTiming } from '../../kit/virtual-timing.js';

describe('the limit of a wait', () => {
  test.each([2 ** 31, Number.MAX_VALUE])(
    'may be longer than the timers of Node.js can count: %d ms',
    (ms) => {
      jest.useFakeTimers();
      try {
        const scope = scopeOfCall(systemTiming, { timeoutMs: ms }, { timeoutMs: 1 });
        jest.advanceTimersByTime(2 ** 31 - 2);
        expect(scope.signal.aborted).toBe(false);
        scope.end();
      } finally {
        jest.useRealTimers();
      }
    },
  );

  test('may be none at all', () => {
    const timing = new VirtualTiming();
    const scope = scopeOfCall(timing, { timeoutMs: Infinity }, { timeoutMs: 1 });
    expect([timing.pendingCount, scope.signal.aborted]).toEqual([0, false]);
  });

  test('of 0 has passed before anything is sent', async () => {
    await withFakeStore(async ({ store, client }) => {
      for (const stream of ['while opening', 'once open']) {
        const options = { expectedRevision: 'any', timeoutMs: 0 } as const;
        await expect(client.append(stream, [newEvent()], options)).rejects.toMatchObject({
          name: 'WaitExpired',
        });
        await client.append('other', [newEvent()], { expectedRevision: 'any', timeoutMs: Infinity });
      }
      expect(store.appends.map(({ stream }) => stream)).toEqual(['other', 'other']);
    });
  });
});
