import { describe, expect, test } from '@jest/globals';
import { Gate } from '../../../src/event-store/gate.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A gate, who is inside, and how to let them out. */
const fakeGate = (countMax: number) => {
  const gate = new Gate(countMax);
  const inside: string[] = [];
  const releases = new Map<string, () => void>();
  const enter = (name: string, signal = new AbortController().signal): Promise<void> =>
    gate.pass(signal, async () => {
      inside.push(name);
      await new Promise<void>((resolve) => releases.set(name, resolve));
      inside.splice(inside.indexOf(name), 1);
    });
  return { enter, inside, leave: (name: string) => releases.get(name)?.() };
};

describe('a gate', () => {
  test('lets so many through at a time, in the order in which they came', async () => {
    const { enter, inside, leave } = fakeGate(2);
    const passing = ['a', 'b', 'c', 'd'].map((name) => enter(name));
    await turn();
    expect(inside).toEqual(['a', 'b']);
    leave('b');
    await turn();
    expect(inside).toEqual(['a', 'c']);
    for (const name of ['a', 'c']) leave(name);
    await turn();
    leave('d');
    await Promise.all(passing);
  });

  test('passes over who has stopped waiting, also at the very moment of being admitted', async () => {
    const { enter, inside, leave } = fakeGate(1);
    const abort = new AbortController();
    const reason = new Error('no longer');
    const first = enter('a');
    const given = [enter('b', abort.signal), enter('c', abort.signal)].map((each) =>
      expect(each).rejects.toBe(reason),
    );
    const last = enter('d');
    await turn();
    leave('a');
    abort.abort(reason);
    await Promise.all([...given, first]);
    await turn();
    expect(inside).toEqual(['d']);
    leave('d');
    await last;
  });

  test('makes room where an action fails', async () => {
    const gate = new Gate(1);
    const { signal } = new AbortController();
    const failure = new Error('failed');
    await expect(gate.pass(signal, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await gate.pass(signal, async () => 'through')).toBe('through');
  });
});
