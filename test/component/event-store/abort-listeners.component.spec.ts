import { describe, expect, test } from '@jest/globals';
import { onAbort } from '../../../src/event-store/abort-listeners.js';

describe('listeners of one signal', () => {
  test('are called in order, each as often as it listens, but for those taken back', () => {
    const abort = new AbortController();
    const called: string[] = [];
    const listen = (name: string): (() => void) => onAbort(abort.signal, () => called.push(name));
    listen('a');
    const release = listen('b');
    const twice = (): number => called.push('c');
    onAbort(abort.signal, twice);
    onAbort(abort.signal, twice);
    release();
    abort.abort();
    expect(called).toEqual(['a', 'c', 'c']);
  });

  test('are one to the signal itself, however many they are', () => {
    const { signal } = new AbortController();
    let addedCount = 0;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...listener: Parameters<typeof add>): void => {
      addedCount += 1;
      add(...listener);
    };
    for (let count = 0; count < 10_000; count += 1) onAbort(signal, () => undefined);
    expect(addedCount).toBe(1);
  });
});
