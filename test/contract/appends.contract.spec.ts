import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ExpectedRevision } from '../../src/embedded-store/stored-event.js';
import { describeStore } from '../kit/describe-store.js';
import { eventsOf, newEvent, newEvents, positionOf, range, uniqueName } from '../kit/store-driver.js';

/** What a store takes in one append by default: data, metadata, and two bytes for each character of a type's name. */
const appendBytesMax = 1_048_576;

describeStore('appends', (store, paths) => {
  describe.each(paths)('by the %s path', (path) => {
    const append = (stream: string, count: number, expected: ExpectedRevision) =>
      store().append(stream, newEvents(count), expected, path);

    test('return the revision of their last event', async () => {
      const stream = uniqueName();
      expect(await append(stream, 3, 'no-stream')).toMatchObject({ kind: 'appended', revision: 2 });
      expect(await append(stream, 2, 2)).toMatchObject({ kind: 'appended', revision: 4 });
    });

    test('return the position that their last event has in $all', async () => {
      const stream = uniqueName();
      const positions = [
        positionOf(await append(stream, 2, 'no-stream')),
        positionOf(await append(stream, 1, 1)),
      ];
      const events = eventsOf(await store().readStream(stream));
      expect([events[1]?.position, events[2]?.position]).toEqual(positions);
      expect(positions[1]).toBeGreaterThan(positions[0] ?? 0n);
    });

    describe('expecting', () => {
      test.each<[string, number, ExpectedRevision, object]>([
        ['no stream, where there is none', 0, 'no-stream', { kind: 'appended', revision: 0 }],
        ['no stream, where there is one', 2, 'no-stream', { kind: 'conflict', actual: 1 }],
        ['the last revision', 2, 1, { kind: 'appended', revision: 2 }],
        ['an earlier revision', 3, 0, { kind: 'conflict', actual: 2 }],
        ['a later revision', 2, 5, { kind: 'conflict', actual: 1 }],
        ['a revision, where there is no stream', 0, 3, { kind: 'conflict', actual: 'no-stream' }],
        ['anything, where there is no stream', 0, 'any', { kind: 'appended', revision: 0 }],
        ['anything, where there is a stream', 2, 'any', { kind: 'appended', revision: 2 }],
        ['a stream, where there is one', 2, 'stream-exists', { kind: 'appended', revision: 2 }],
        ['a stream, where there is none', 0, 'stream-exists', { kind: 'conflict', actual: 'no-stream' }],
      ])('%s', async (_, standing, expected, outcome) => {
        const stream = uniqueName();
        if (standing > 0) await append(stream, standing, 'no-stream');
        const isConflict = 'actual' in outcome;
        expect(await append(stream, 1, expected)).toMatchObject({
          ...outcome,
          ...(isConflict && { expected }),
        });
        if (!isConflict) return;
        const read = await store().readStream(stream);
        expect(read.kind === 'events' ? read.events.length : 0).toBe(standing);
      });

      test('a stream, where there is only metadata of it', async () => {
        const stream = uniqueName();
        await store().setMetadata(stream, { owner: 'ops' });
        expect(await append(stream, 1, 'stream-exists')).toMatchObject({ kind: 'appended', revision: 0 });
      });

      test('an earlier revision is a conflict also with nothing to append', async () => {
        const stream = uniqueName();
        await append(stream, 2, 'no-stream');
        expect(await append(stream, 0, 0)).toMatchObject({ kind: 'conflict', actual: 1 });
      });
    });

    describe('with ids that stand in the stream', () => {
      test.each<ExpectedRevision>(['no-stream', 'any'])(
        'are recognised as repeated, expecting %s again',
        async (expected) => {
          const stream = uniqueName();
          const events = newEvents(3);
          const first = await store().append(stream, events, expected, path);
          await append(stream, 2, 2);
          expect(await store().append(stream, events, expected, path)).toEqual(first);
          expect(eventsOf(await store().readStream(stream))).toHaveLength(5);
        },
      );

      test('are recognised as repeated, expecting the same revision again', async () => {
        const stream = uniqueName();
        await append(stream, 2, 'no-stream');
        const events = newEvents(2);
        const first = await store().append(stream, events, 1, path);
        expect(await store().append(stream, events, 1, path)).toEqual(first);
        expect(eventsOf(await store().readStream(stream))).toHaveLength(4);
      });

      test('are recognised as repeated, expecting the stream to exist', async () => {
        const stream = uniqueName();
        await append(stream, 1, 'no-stream');
        const events = newEvents(2);
        const first = await store().append(stream, events, 'stream-exists', path);
        expect(await store().append(stream, events, 'stream-exists', path)).toEqual(first);
      });

      test('are recognised as repeated when they were part of a larger append', async () => {
        const stream = uniqueName();
        const events = newEvents(4);
        await store().append(stream, events, 'no-stream', path);
        const middle = events.slice(1, 3);
        expect(await store().append(stream, middle, 'any', path)).toMatchObject({ revision: 2 });
        expect(await store().append(stream, middle, 0, path)).toMatchObject({ revision: 2 });
        expect(await store().append(stream, events.slice(0, 2), 'no-stream', path)).toMatchObject({
          revision: 1,
        });
        expect(eventsOf(await store().readStream(stream))).toHaveLength(4);
      });

      test('are recognised as repeated, expecting anything, wherever each of them stands', async () => {
        const stream = uniqueName();
        const events = newEvents(3);
        await store().append(stream, events, 'no-stream', path);
        const apart = events.filter((_, at) => at !== 1);
        expect(await store().append(stream, apart, 'any', path)).toMatchObject({ revision: 2 });
        expect(eventsOf(await store().readStream(stream))).toHaveLength(3);
      });

      test('are a conflict when some of them are new', async () => {
        const stream = uniqueName();
        const events = newEvents(2);
        await store().append(stream, events, 'no-stream', path);
        const extended = [...events, newEvent()];
        for (const expected of ['no-stream', 'any', 'stream-exists'] as const) {
          expect(await store().append(stream, extended, expected, path)).toMatchObject({
            kind: 'conflict',
            actual: 1,
          });
        }
        expect(eventsOf(await store().readStream(stream))).toHaveLength(2);
      });

      test('are a conflict when they stand elsewhere than expected', async () => {
        const stream = uniqueName();
        const event = newEvent();
        await append(stream, 1, 'no-stream');
        await store().append(stream, [event], 0, path);
        expect(await store().append(stream, [event], 'no-stream', path)).toMatchObject({
          kind: 'conflict',
          actual: 1,
        });
      });

      test('are appended once more when they expect the last revision', async () => {
        const stream = uniqueName();
        const event = newEvent();
        await store().append(stream, [event], 'no-stream', path);
        expect(await store().append(stream, [event], 0, path)).toMatchObject({
          kind: 'appended',
          revision: 1,
        });
      });

      test('are no repetition in another stream', async () => {
        const event = newEvent();
        await store().append(uniqueName(), [event], 'any', path);
        const other = uniqueName();
        expect(await store().append(other, [event], 'any', path)).toMatchObject({ revision: 0 });
        expect(eventsOf(await store().readStream(other))).toHaveLength(1);
      });
    });

    test.each([0, 1, 4])('of many writers that expect revision %d, exactly one wins', async (last) => {
      const stream = uniqueName();
      await append(stream, last + 1, 'no-stream');
      const outcomes = await Promise.all(range(20).map(() => append(stream, 2, last)));
      const winners = outcomes.filter(({ kind }) => kind === 'appended');
      expect(winners).toEqual([expect.objectContaining({ revision: last + 2 })]);
      const losers = outcomes.filter(({ kind }) => kind !== 'appended');
      expect(losers).toEqual(losers.map(() => ({ kind: 'conflict', expected: last, actual: last + 2 })));
    });

    test('of many writers that expect no stream, exactly one wins', async () => {
      const stream = uniqueName();
      const outcomes = await Promise.all(range(20).map(() => append(stream, 1, 'no-stream')));
      expect(outcomes.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    });

    test('of many writers that expect nothing, all win and none is torn apart', async () => {
      const stream = uniqueName();
      const appends = range(20).map(() => newEvents(7));
      const outcomes = await Promise.all(
        appends.map((events) => store().append(stream, events, 'any', path)),
      );
      const ids = eventsOf(await store().readStream(stream)).map(({ id }) => id);
      for (const [at, events] of appends.entries()) {
        const outcome = outcomes[at];
        const last = outcome?.kind === 'appended' ? outcome.revision : NaN;
        expect(ids.slice(last - 6, last + 1)).toEqual(events.map(({ id }) => id));
      }
    });

    test('that meet another revision write none of their events', async () => {
      const stream = uniqueName();
      await append(stream, 1, 'no-stream');
      await append(stream, 5, 7);
      expect(eventsOf(await store().readStream(stream))).toHaveLength(1);
    });

    describe('as large as the limit', () => {
      const type = 'abc';
      const room = appendBytesMax - 2 * type.length;

      test('are taken, in one event', async () => {
        const stream = uniqueName();
        const event = newEvent({ type, data: new Uint8Array(room).fill(7) });
        expect(await store().append(stream, [event], 'no-stream', path)).toMatchObject({ revision: 0 });
        expect(eventsOf(await store().readStream(stream))[0]?.data).toHaveLength(room);
      });

      test('are taken, in several events with metadata', async () => {
        const stream = uniqueName();
        const part = {
          type,
          data: new Uint8Array(room / 2 - 3 - 1_000),
          metadata: new Uint8Array(1_000).fill(200),
        };
        const events = [newEvent(part), newEvent(part)];
        expect(await store().append(stream, events, 'no-stream', path)).toMatchObject({ revision: 1 });
      });

      test('are refused as a whole with one byte more, and say the limit', async () => {
        const stream = uniqueName();
        const events = [
          newEvent({ type, data: new Uint8Array(room - 5) }),
          newEvent({ type: 'x', data: new Uint8Array(4) }),
        ];
        expect(await store().append(stream, events, 'no-stream', path)).toEqual({
          kind: 'too-large',
          bytesMax: appendBytesMax,
        });
        expect(await store().readStream(stream)).toEqual({ kind: 'not-found' });
      });

      test('hold up no other append when they are far beyond it', async () => {
        const [large, other] = [uniqueName(), uniqueName()];
        const [refused, taken] = await Promise.all([
          store().append(large, newEvents(5, { data: new Uint8Array(appendBytesMax) }), 'any', path),
          append(other, 1, 'no-stream'),
        ]);
        expect([refused.kind, taken.kind]).toEqual(['too-large', 'appended']);
      });

      test('count the name of the type by two bytes a character', async () => {
        const event = newEvent({ type: 'e'.repeat(100), data: new Uint8Array(appendBytesMax - 199) });
        expect(await store().append(uniqueName(), [event], 'any', path)).toMatchObject({ kind: 'too-large' });
      });
    });

    test('keep a thousand events in their order', async () => {
      const stream = uniqueName();
      const events = newEvents(1_000);
      expect(await store().append(stream, events, 'no-stream', path)).toMatchObject({ revision: 999 });
      const read = eventsOf(await store().readStream(stream));
      expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      expect(read.map(({ revision }) => revision)).toEqual(range(1_000));
    });

    describe('keep', () => {
      const stored = async (event: Parameters<typeof newEvent>[0]) => {
        const stream = uniqueName();
        await store().append(stream, [newEvent(event)], 'no-stream', path);
        return eventsOf(await store().readStream(stream))[0];
      };

      test.each([
        [{ nested: { text: 'ü – 漢字 🚀', list: [1, null, true] } }],
        [['a', 1]],
        ['text'],
        [0],
        [false],
        [{}],
      ])('JSON as JSON: %j', async (data) => {
        expect((await stored({ data }))?.data).toEqual(data);
      });

      test('bytes as bytes, each of their values', async () => {
        const data = Uint8Array.from(range(256));
        expect((await stored({ data }))?.data).toEqual(data);
      });

      test('no bytes', async () => {
        expect((await stored({ data: new Uint8Array(0) }))?.data).toEqual(new Uint8Array(0));
      });

      test('bytes that look like JSON as bytes', async () => {
        const data = new Uint8Array(Buffer.from('{"a":1}'));
        expect((await stored({ data }))?.data).toEqual(data);
      });

      test('metadata, in JSON and in bytes', async () => {
        expect((await stored({ metadata: { causedBy: 'a' } }))?.metadata).toEqual({ causedBy: 'a' });
        const bytes = Uint8Array.from([0, 255, 1]);
        expect((await stored({ metadata: bytes }))?.metadata).toEqual(bytes);
      });

      test('the absence of metadata', async () => {
        expect(await stored({})).not.toHaveProperty('metadata');
      });

      test('the id, the type and the name of the stream, whatever their letters', async () => {
        const id = randomUUID();
        const stream = `${uniqueName()} ü/%20?#漢`;
        const type = 'größer.v1 🚀';
        await store().append(stream, [newEvent({ id, type })], 'no-stream', path);
        const [event] = eventsOf(await store().readStream(stream));
        expect(event).toMatchObject({ id, type, stream });
      });
    });

    test('tell when each event was written, to the millisecond, and never backwards', async () => {
      const stream = uniqueName();
      for (const revision of range(5))
        await append(stream, 2, revision === 0 ? 'no-stream' : 2 * revision - 1);
      const times = eventsOf(await store().readStream(stream)).map(({ createdAt }) => createdAt);
      expect(times).toEqual([...times].sort((one, other) => one - other));
      // A store on another machine has another clock.
      for (const time of times) expect(Math.abs(Date.now() - time)).toBeLessThan(60_000);
    });
  });
});
