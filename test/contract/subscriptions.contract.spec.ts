import { expect, test } from '@jest/globals';
import { describeStore } from '../kit/describe-store.js';
import {
  eventsOf,
  following,
  newEvent,
  newEvents,
  positionOf,
  range,
  uniqueName,
  type Told,
} from '../kit/store-driver.js';

const isCheckpointAt =
  (position: bigint) =>
  (told: Told): boolean =>
    told.kind === 'checkpoint' && told.position >= position;

describeStore('a subscription to a stream', (store) => {
  test('tells what stands, that it has caught up, and then what is new', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(3), 'no-stream');
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      expect(tape.told.map(({ kind }) => kind)).toEqual(['event', 'event', 'event', 'caught-up']);
      await store().append(stream, newEvents(2), 2);
      await tape.untilCount(5);
      expect(tape.revisions).toEqual([0, 1, 2, 3, 4]);
    });
  });

  test('begins after a revision, which is left out', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(4), 'no-stream');
    await following(store().subscribeToStream(stream, 1), async (tape) => {
      await tape.untilKind('caught-up');
      expect(tape.revisions).toEqual([2, 3]);
    });
  });

  test('begins at the end with what is new', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(2), 'no-stream');
    await following(store().subscribeToStream(stream, 'end'), async (tape) => {
      await tape.untilKind('caught-up');
      await store().append(stream, newEvents(1), 1);
      await tape.untilCount(1);
      expect(tape.revisions).toEqual([2]);
    });
  });

  test('waits for a stream that does not exist yet', async () => {
    const stream = uniqueName();
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      await store().append(stream, newEvents(2), 'no-stream');
      await tape.untilCount(2);
      expect(tape.revisions).toEqual([0, 1]);
    });
  });

  test('tells nothing of other streams', async () => {
    const stream = uniqueName();
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      await store().append(`${stream}-other`, newEvents(1), 'any');
      await store().append(stream, newEvents(1), 'any');
      await tape.untilCount(1);
      expect(tape.events.map((event) => event.stream)).toEqual([stream]);
    });
  });

  test('tells the same event as a read', async () => {
    const stream = uniqueName();
    await store().append(stream, [newEvent({ data: { a: 1 }, metadata: { b: 2 } })], 'no-stream');
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilCount(1);
      expect(tape.events).toEqual(eventsOf(await store().readStream(stream)));
    });
  });

  test('leaves out what the limits of the stream hide', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(5), 'no-stream');
    await store().setMetadata(stream, { $maxCount: 2 });
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      expect(tape.revisions).toEqual([3, 4]);
    });
  });

  test('goes on with a stream that was deleted and began again', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(2), 'no-stream');
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      await store().delete(stream, 'any');
      await store().append(stream, newEvents(2), 'no-stream');
      await tape.untilCount(4);
      expect(tape.revisions).toEqual([0, 1, 2, 3]);
    });
  });

  test('catches up under load without gap or repetition, wherever it begins', async () => {
    const stream = uniqueName();
    const count = 2_000;
    await store().append(stream, newEvents(500), 'no-stream');
    const load = (async () => {
      for (let at = 500; at < count; at += 10) await store().append(stream, newEvents(10), at - 1);
    })();
    const starts = ['start', 0, 250, 499] as const;
    await Promise.all(
      starts.map((after) =>
        following(store().subscribeToStream(stream, after), async (tape) => {
          const first = after === 'start' ? 0 : after + 1;
          await tape.untilCount(count - first);
          expect(tape.revisions).toEqual(range(count - first, first));
        }),
      ),
    );
    await load;
  });

  test('ends when it is closed, and leaves others going', async () => {
    const stream = uniqueName();
    const closed = store().subscribeToStream(stream, 'start');
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      await closed.close();
      await store().append(stream, newEvents(1), 'any');
      await tape.untilCount(1);
    });
  });
});

describeStore('a slow subscriber', (store) => {
  const large = { data: new Uint8Array(2_000) };

  test('misses nothing, repeats nothing, and is told that it fell behind and has caught up again', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(1), 'no-stream');
    await following(store().subscribeToStream(stream, 'start'), async (tape) => {
      await tape.untilKind('caught-up');
      // Nobody asks while these are written: far more than fits between the store and the subscriber.
      for (let last = 0; last < 5_000; last += 250) await store().append(stream, newEvents(250, large), last);
      await tape.untilKind('fell-behind');
      await tape.untilKind('caught-up');
      await tape.untilCount(5_001);
      expect(tape.revisions).toEqual(range(5_001));
    });
  });

  test('holds up neither appends nor other subscribers', async () => {
    const stream = uniqueName();
    await following(store().subscribeToStream(stream, 'start'), async (slow) => {
      await slow.untilKind('caught-up');
      await following(store().subscribeToStream(stream, 'start'), async (quick) => {
        for (let at = 0; at < 1_500; at += 250) await store().append(stream, newEvents(250, large), 'any');
        await quick.untilCount(1_500);
        expect(slow.events).toHaveLength(0);
      });
    });
  });
});

describeStore('a subscription to $all', (store) => {
  const marker = async () => positionOf(await store().append(uniqueName(), newEvents(1), 'any'));

  test('begins after a position, which is left out, and goes on with what is new', async () => {
    const stream = uniqueName();
    const filter = { on: 'stream', prefixes: [stream] } as const;
    const after = positionOf(await store().append(stream, newEvents(1), 'no-stream'));
    await store().append(stream, newEvents(2), 0);
    await following(store().subscribeToAll({ after, filter }), async (tape) => {
      await tape.untilKind('caught-up');
      await store().append(stream, newEvents(1), 2);
      await tape.untilCount(3);
      expect(tape.revisions).toEqual([1, 2, 3]);
    });
  });

  test('without a filter tells every event in the order of positions', async () => {
    const after = await marker();
    const [one, other] = [uniqueName(), uniqueName()];
    await following(store().subscribeToAll({ after }), async (tape) => {
      await tape.untilKind('caught-up');
      const last: bigint[] = [];
      for (const stream of [one, other, one])
        last.push(positionOf(await store().append(stream, newEvents(1), 'any')));
      await tape.until((told) => told.kind === 'event' && told.event.position === last[2]);
      const ours = tape.events.filter(({ stream }) => stream === one || stream === other);
      expect(ours.map(({ position }) => position)).toEqual(last);
    });
  });

  test('begins at the end with what is new', async () => {
    const stream = uniqueName();
    await store().append(stream, newEvents(1), 'no-stream');
    const filter = { on: 'stream', prefixes: [stream] } as const;
    await following(store().subscribeToAll({ after: 'end', filter }), async (tape) => {
      await tape.untilKind('caught-up');
      await store().append(stream, newEvents(1), 0);
      await tape.untilCount(1);
      expect(tape.revisions).toEqual([1]);
    });
  });

  test('live, tells only what its filter wants', async () => {
    const name = uniqueName();
    const filter = { on: 'type', regex: `^${name}-\\d+$` } as const;
    await following(store().subscribeToAll({ after: await marker(), filter }), async (tape) => {
      await tape.untilKind('caught-up');
      for (const type of [`${name}-1`, `${name}-x`, `${name}-2`])
        await store().append(uniqueName(), [newEvent({ type })], 'any');
      await tape.untilCount(2);
      expect(tape.events.map(({ type }) => type)).toEqual([`${name}-1`, `${name}-2`]);
    });
  });

  test('catches up under load without gap or repetition', async () => {
    const prefix = uniqueName();
    const filter = { on: 'stream', prefixes: [prefix] } as const;
    const after = await marker();
    const writers = range(4).map(async (writer) => {
      for (let at = 0; at < 40; at += 1) {
        await store().append(`${prefix}-${writer}`, newEvents(5), 'any');
        await store().append(`other-${prefix}`, newEvents(1), 'any');
      }
    });
    await Promise.all(
      range(3).map(() =>
        following(store().subscribeToAll({ after, filter }), async (tape) => {
          await tape.untilCount(800);
          const byWriter = range(4).map((writer) =>
            tape.events
              .filter(({ stream }) => stream === `${prefix}-${writer}`)
              .map(({ revision }) => revision),
          );
          expect(byWriter).toEqual(range(4).map(() => range(200)));
          const positions = tape.events.map(({ position }) => position);
          expect(positions).toEqual([...positions].sort((one, other) => Number(one - other)));
        }),
      ),
    );
    await Promise.all(writers);
  });
});

describeStore('checkpoints', (store) => {
  const nobody = { on: 'stream', prefixes: [uniqueName('nobody')] } as const;

  test('come on the way through history for events that the filter leaves out', async () => {
    const after = positionOf(await store().append(uniqueName(), newEvents(1), 'any'));
    await store().append(uniqueName(), newEvents(200), 'any');
    const subscribing = { after, filter: nobody, checkpointInterval: 32 };
    await following(store().subscribeToAll(subscribing), async (tape) => {
      await tape.until(isCheckpointAt(after + 1n));
      await tape.untilKind('caught-up');
      const positions = tape.told.flatMap((each) => (each.kind === 'checkpoint' ? [each.position] : []));
      expect(positions).toEqual([...positions].sort((one, other) => Number(one - other)));
      expect(tape.events).toEqual([]);
    });
  });

  test('come on going live, up to the newest event', async () => {
    const after = positionOf(await store().append(uniqueName(), newEvents(1), 'any'));
    const newest = positionOf(await store().append(uniqueName(), newEvents(3), 'any'));
    await following(store().subscribeToAll({ after, filter: nobody }), async (tape) => {
      await tape.until(isCheckpointAt(newest));
    });
  });

  test('come live for events that the filter leaves out', async () => {
    const after = positionOf(await store().append(uniqueName(), newEvents(1), 'any'));
    await following(
      store().subscribeToAll({ after, filter: nobody, checkpointInterval: 16 }),
      async (tape) => {
        await tape.untilKind('caught-up');
        const first = positionOf(await store().append(uniqueName(), newEvents(1), 'any'));
        await store().append(uniqueName(), newEvents(40), 'any');
        await tape.until(isCheckpointAt(first));
      },
    );
  });

  test('let a subscriber resume without gap or repetition', async () => {
    const [name, crowd] = [uniqueName(), uniqueName('crowd')];
    const filter = { on: 'stream', prefixes: [name] } as const;
    const after = positionOf(await store().append(crowd, newEvents(1), 'any'));
    await store().append(name, newEvents(1), 'no-stream');
    const middle = positionOf(await store().append(crowd, newEvents(100), 'any'));
    let resumed = 0n;
    await following(store().subscribeToAll({ after, filter, checkpointInterval: 8 }), async (tape) => {
      const checkpoint = await tape.until((told): told is Told & { kind: 'checkpoint' } =>
        isCheckpointAt(middle - 50n)(told),
      );
      expect(tape.revisions).toEqual([0]);
      resumed = checkpoint.position;
    });
    await store().append(name, newEvents(2), 0);
    await following(store().subscribeToAll({ after: resumed, filter }), async (tape) => {
      await tape.untilKind('caught-up');
      expect(tape.revisions).toEqual([1, 2]);
    });
  });
});
