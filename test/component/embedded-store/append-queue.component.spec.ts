import { expect, test } from '@jest/globals';
import { AppendQueue } from '../../../src/embedded-store/append-queue.js';
import { LogFailed, WriteRefused } from '../../../src/embedded-store/errors.js';
import { limits } from '../../../src/embedded-store/limits.js';

interface Transactions {
  readonly queue: AppendQueue;
  /** The writes of each transaction that was begun. */
  readonly begun: string[][];
  readonly failures: string[];
}

/** A log that takes what `refuses` lets through. */
const withQueue = (
  refuses: (writes: readonly string[]) => Error | undefined = () => undefined,
): Transactions => {
  const begun: string[][] = [];
  const failures: string[] = [];
  const queue = new AppendQueue({
    transaction: (_, work) => {
      const writes: string[] = [];
      begun.push(writes);
      current = writes;
      const result = work();
      const refusal = refuses(writes);
      if (refusal) throw refusal;
      return result;
    },
    onLogFailure: ({ message }) => failures.push(message),
  });
  return { queue, begun, failures };
};

let current: string[] = [];
const write = (name: string) => (): string => {
  current.push(name);
  return `${name} written`;
};

test('what arrives in one turn of the loop shares a transaction', async () => {
  const { queue, begun } = withQueue();
  const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => queue.add(1, 1, write(name))));
  expect(outcomes).toEqual(['a written', 'b written', 'c written']);
  await queue.add(1, 1, write('d'));
  expect(begun).toEqual([['a', 'b', 'c'], ['d']]);
});

test('nobody is answered before the transaction is through', async () => {
  const order: string[] = [];
  const { queue } = withQueue(() => {
    order.push('on disk');
    return undefined;
  });
  await Promise.all(['a', 'b'].map((name) => queue.add(1, 1, write(name)).then(() => order.push(name))));
  expect(order).toEqual(['on disk', 'a', 'b']);
});

test('a group holds no more events than its limit', async () => {
  const { queue, begun } = withQueue();
  const half = limits.groupEventsMax / 2;
  await Promise.all(['a', 'b', 'c'].map((name) => queue.add(1, half, write(name))));
  expect(begun).toEqual([['a', 'b'], ['c']]);
});

test('a group holds no more bytes than its limit, but always one append', async () => {
  const { queue, begun } = withQueue();
  await Promise.all(['a', 'b'].map((name) => queue.add(limits.groupBytesMax + 1, 1, write(name))));
  expect(begun).toEqual([['a'], ['b']]);
});

test('of a group that found no room, only what finds none alone is refused', async () => {
  const { queue, begun, failures } = withQueue((writes) =>
    writes.includes('large') ? new WriteRefused('the disk is full') : undefined,
  );
  const outcomes = await Promise.allSettled(['a', 'large', 'b'].map((name) => queue.add(1, 1, write(name))));
  expect(begun).toEqual([['a', 'large', 'b'], ['a'], ['large'], ['b']]);
  expect(outcomes).toMatchObject([
    { value: 'a written' },
    { reason: { name: 'WriteRefused' } },
    { value: 'b written' },
  ]);
  expect(failures).toEqual([]);
});

test('after the log has failed nothing is written any more, and it is told once', async () => {
  const { queue, begun, failures } = withQueue(() => new LogFailed('no sync'));
  const outcomes = await Promise.allSettled(['a', 'b'].map((name) => queue.add(1, 1, write(name))));
  const later = await Promise.allSettled([queue.add(1, 1, write('c'))]);
  expect([...outcomes, ...later]).toMatchObject(Array(3).fill({ reason: { name: 'LogFailed' } }));
  expect(begun).toEqual([['a', 'b']]);
  expect(failures).toEqual(['no sync']);
});

test('closing waits for what came before and refuses what comes after', async () => {
  const { queue, begun } = withQueue();
  const before = queue.add(1, 1, write('a'));
  const closed = queue.close();
  await expect(queue.add(1, 1, write('b'))).rejects.toMatchObject({ name: 'WriteRefused' });
  await closed;
  expect(begun).toEqual([['a']]);
  expect(await before).toBe('a written');
});

test('the bytes that wait are counted until they are written', async () => {
  const { queue } = withQueue();
  const added = queue.add(70, 1, write('a'));
  expect(queue.queuedBytes).toBe(70);
  await added;
  expect(queue.queuedBytes).toBe(0);
});
