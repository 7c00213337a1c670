import { describe, expect, test } from '@jest/globals';
import type { RecordedEvent } from '../../src/event-store/event-store.js';
import { describeStore } from '../kit/describe-store.js';
import {
  eventsOf,
  newEvent,
  newEvents,
  positionOf,
  range,
  uniqueName,
  type StreamReading,
} from '../kit/store-driver.js';

describeStore('reads of a stream', (store) => {
  const streamOf = async (count: number): Promise<string> => {
    const stream = uniqueName();
    await store().append(stream, newEvents(count), 'no-stream');
    return stream;
  };
  const revisionsIn = async (stream: string, reading: StreamReading = {}) =>
    eventsOf(await store().readStream(stream, reading)).map(({ revision }) => revision);

  test('tell that there is none', async () => {
    expect(await store().readStream(uniqueName())).toEqual({ kind: 'not-found' });
    expect(await store().readStream(uniqueName(), { direction: 'backwards' })).toEqual({ kind: 'not-found' });
  });

  test.each<[string, StreamReading, readonly number[]]>([
    ['forwards from the start', {}, [0, 1, 2, 3, 4, 5]],
    ['forwards from a revision, which is included', { from: 2 }, [2, 3, 4, 5]],
    ['forwards from the last revision', { from: 5 }, [5]],
    ['forwards from beyond the last revision', { from: 6 }, []],
    ['forwards from far beyond', { from: 1_000_000 }, []],
    ['forwards from the end', { from: 'end' }, []],
    ['forwards up to a count', { maxCount: 2 }, [0, 1]],
    ['forwards from a revision up to a count', { from: 3, maxCount: 2 }, [3, 4]],
    ['backwards from the end', { direction: 'backwards' }, [5, 4, 3, 2, 1, 0]],
    ['backwards from a revision, which is included', { direction: 'backwards', from: 2 }, [2, 1, 0]],
    ['backwards from the start', { direction: 'backwards', from: 'start' }, [0]],
    ['backwards from beyond the last revision', { direction: 'backwards', from: 99 }, [5, 4, 3, 2, 1, 0]],
    ['backwards up to a count', { direction: 'backwards', maxCount: 2 }, [5, 4]],
  ])('go %s', async (_, reading, revisions) => {
    expect(await revisionsIn(await streamOf(6), reading)).toEqual(revisions);
  });

  test('go through more events than fit into one page, both ways', async () => {
    const stream = uniqueName();
    for (const at of range(3))
      await store().append(stream, newEvents(500), at === 0 ? 'no-stream' : 500 * at - 1);
    expect(await revisionsIn(stream)).toEqual(range(1_500));
    expect(await revisionsIn(stream, { direction: 'backwards' })).toEqual([...range(1_500)].reverse());
  });

  test('go through events that are too large for one page', async () => {
    const stream = uniqueName();
    for (let at = 0; at < 6; at += 1)
      await store().append(stream, [newEvent({ data: new Uint8Array(900_000) })], 'any');
    expect(await revisionsIn(stream)).toEqual(range(6));
    expect(await revisionsIn(stream, { direction: 'backwards' })).toEqual([...range(6)].reverse());
  });

  describe('with limits set on the stream', () => {
    test.each<[string, Record<string, number>, readonly number[]]>([
      ['$maxCount shows only the newest', { $maxCount: 2 }, [4, 5]],
      ['$maxCount larger than the stream hides nothing', { $maxCount: 10 }, [0, 1, 2, 3, 4, 5]],
      ['$tb hides what is before it', { $tb: 3 }, [3, 4, 5]],
      ['$tb beyond the end hides all', { $tb: 6 }, []],
      ['$maxCount and $tb count together', { $maxCount: 4, $tb: 4 }, [4, 5]],
      ['$maxAge shows what is younger', { $maxAge: 3_600 }, [0, 1, 2, 3, 4, 5]],
    ])('%s', async (_, metadata, revisions) => {
      const stream = await streamOf(6);
      await store().setMetadata(stream, metadata);
      expect(await revisionsIn(stream)).toEqual(revisions);
      expect(await revisionsIn(stream, { direction: 'backwards' })).toEqual([...revisions].reverse());
      expect(await revisionsIn(stream, { from: 1 })).toEqual(revisions.filter((each) => each >= 1));
    });

    test('$maxAge hides what is older', async () => {
      const stream = await streamOf(3);
      await store().setMetadata(stream, { $maxAge: 1 });
      // Only time can do it, and reading is how it shows.
      while ((await revisionsIn(stream)).length > 0);
      await store().append(stream, newEvents(1), 2);
      expect(await revisionsIn(stream)).toEqual([3]);
    });

    test('numbering goes on, and expectations are about what was written', async () => {
      const stream = await streamOf(3);
      await store().setMetadata(stream, { $tb: 3 });
      expect(await store().append(stream, newEvents(1), 'no-stream')).toMatchObject({ actual: 2 });
      expect(await store().append(stream, newEvents(1), 2)).toMatchObject({ revision: 3 });
      expect(await revisionsIn(stream)).toEqual([3]);
    });

    test('they follow the stream as it grows', async () => {
      const stream = await streamOf(2);
      await store().setMetadata(stream, { $maxCount: 2 });
      await store().append(stream, newEvents(2), 1);
      expect(await revisionsIn(stream)).toEqual([2, 3]);
    });

    test('the newest setting counts, and only it can be read', async () => {
      const stream = await streamOf(4);
      await store().setMetadata(stream, { $maxCount: 1 });
      await store().setMetadata(stream, { $maxCount: 3 });
      expect(await revisionsIn(stream)).toEqual([1, 2, 3]);
      const settings = eventsOf(await store().readStream(`$$${stream}`));
      expect(settings.map(({ revision, data }) => [revision, data])).toEqual([[1, { $maxCount: 3 }]]);
    });
  });
});

describeStore('reads of $all', (store) => {
  /** Three events, of which others may stand between. */
  const three = async () => {
    const stream = uniqueName();
    const positions = [];
    for (const type of ['one', 'two', 'three'])
      positions.push(positionOf(await store().append(stream, [newEvent({ type })], 'any')));
    return { stream, positions };
  };
  const ofStream = (events: readonly RecordedEvent[], stream: string) =>
    events.filter((event) => event.stream === stream).map(({ type }) => type);

  test('forwards include the event at their position', async () => {
    const { stream, positions } = await three();
    const [, from = 0n] = positions;
    const events = await store().readAll({ direction: 'forwards', from, maxCount: 10_000 });
    expect(ofStream(events, stream)).toEqual(['two', 'three']);
  });

  test('backwards leave out the event at their position', async () => {
    const { stream, positions } = await three();
    const [, , from = 0n] = positions;
    const events = await store().readAll({ direction: 'backwards', from, maxCount: 10 });
    expect(ofStream(events, stream)).toEqual(['two', 'one']);
  });

  test('backwards from the end begin with the newest', async () => {
    const { stream } = await three();
    const events = await store().readAll({ direction: 'backwards', from: 'end', maxCount: 10 });
    expect(ofStream(events, stream)).toEqual(['three', 'two', 'one']);
  });

  test('forwards from the end find nothing', async () => {
    await three();
    expect(await store().readAll({ direction: 'forwards', from: 'end', maxCount: 10 })).toEqual([]);
  });

  test('go in the order of positions, without one twice', async () => {
    const { positions } = await three();
    const [from = 0n] = positions;
    const events = await store().readAll({ direction: 'forwards', from, maxCount: 10_000 });
    const found = events.map(({ position }) => position);
    expect(found).toEqual([...new Set(found)].sort((one, other) => Number(one - other)));
  });

  test('end at their count', async () => {
    const { positions } = await three();
    const [from = 0n] = positions;
    const events = await store().readAll({ direction: 'forwards', from, maxCount: 2 });
    expect(events).toHaveLength(2);
  });

  test('show the same event as reads of its stream', async () => {
    const { stream, positions } = await three();
    const [from = 0n] = positions;
    const [event] = await store().readAll({ direction: 'forwards', from, maxCount: 1 });
    expect(eventsOf(await store().readStream(stream))[0]).toEqual(event);
  });

  test('still show what $maxCount hides in its stream', async () => {
    const { stream, positions } = await three();
    await store().setMetadata(stream, { $maxCount: 1 });
    const [from = 0n] = positions;
    const events = await store().readAll({ direction: 'forwards', from, maxCount: 10_000 });
    expect(ofStream(events, stream)).toEqual(['one', 'two', 'three']);
  });
});

describeStore('filters on $all', (store) => {
  /** Two streams and two types, so that each filter takes a part. */
  const setting = async () => {
    const name = uniqueName('filter').replaceAll('-', '');
    const before = positionOf(await store().append(uniqueName(), newEvents(1), 'any'));
    for (const stream of ['a', 'b'])
      for (const type of ['x.v1', 'y.v1'])
        await store().append(
          `${name}-${stream}`,
          [newEvent({ type: `${name}-${type}`, data: stream })],
          'any',
        );
    return { name, before };
  };
  const found = async (
    { name, before }: { name: string; before: bigint },
    filter: Parameters<ReturnType<typeof store>['readMatching']>[0],
  ) =>
    (await store().readMatching(filter, before)).map(({ stream, type }) =>
      `${stream} ${type}`.replaceAll(`${name}-`, ''),
    );

  test('take streams by prefix', async () => {
    const given = await setting();
    expect(await found(given, { on: 'stream', prefixes: [`${given.name}-b`] })).toEqual(['b x.v1', 'b y.v1']);
  });

  test('take streams by any of several prefixes', async () => {
    const given = await setting();
    const prefixes = [`${given.name}-b`, 'nothing-', `${given.name}-a`];
    expect(await found(given, { on: 'stream', prefixes })).toEqual(['a x.v1', 'a y.v1', 'b x.v1', 'b y.v1']);
  });

  test('take streams by regular expression', async () => {
    const given = await setting();
    expect(await found(given, { on: 'stream', regex: `^${given.name}-[b-z]$` })).toEqual([
      'b x.v1',
      'b y.v1',
    ]);
  });

  test('take types by prefix', async () => {
    const given = await setting();
    expect(await found(given, { on: 'type', prefixes: [`${given.name}-x`] })).toEqual(['a x.v1', 'b x.v1']);
  });

  test('take types by regular expression', async () => {
    const given = await setting();
    expect(await found(given, { on: 'type', regex: `${given.name}-(y|z)\\.v\\d+$` })).toEqual([
      'a y.v1',
      'b y.v1',
    ]);
  });

  test('find nothing where nothing is wanted', async () => {
    const given = await setting();
    expect(await found(given, { on: 'stream', prefixes: [uniqueName('nobody')] })).toEqual([]);
  });

  test('see the whole name: a prefix is none in its middle', async () => {
    const given = await setting();
    expect(await found(given, { on: 'stream', prefixes: [given.name.slice(1)] })).toEqual([]);
  });

  test('find what is wanted among many that are not', async () => {
    const name = uniqueName('rare');
    const crowd = uniqueName('crowd');
    const before = positionOf(await store().append(crowd, newEvents(1), 'any'));
    for (let at = 0; at < 3; at += 1) {
      await store().append(crowd, newEvents(700), 'any');
      await store().append(name, newEvents(1), 'any');
    }
    const events = await store().readMatching({ on: 'stream', prefixes: [name] }, before);
    expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2]);
  });
});
