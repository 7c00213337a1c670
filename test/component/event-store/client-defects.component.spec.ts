import { describe, expect, test } from '@jest/globals';
import { Metadata, ServerCredentials, status } from '@grpc/grpc-js';
import { EventStoreClient } from '../../../src/event-store/event-store-client.js';
import type { LogEntry } from '../../../src/event-store/log.js';
import { makeCertificate } from '../../kit/certificate.js';
import type { FakeAppend } from '../../kit/fake-append.js';
import { fakeEvent } from '../../kit/fake-log.js';
import { FakeStore } from '../../kit/fake-store.js';
import { namedStatus, streamNotFoundResponse } from '../../kit/fake-store-messages.js';
import { appendOne, quickOptions, withFakeStore } from '../../kit/fake-store-client.js';
import { TcpGate } from '../../kit/tcp-gate.js';

const unanswered = (): void => undefined;

describe('defect 1: the client shares the promises of appends among all clients of the process', () => {
  test('a store that vanishes under one client leaves the appends of another alone', async () => {
    await withFakeStore(async (one) => {
      await withFakeStore(
        async (other) => {
          one.store.onAppend = unanswered;
          other.store.onAppend = unanswered;
          const arrivals = [one.store.arrival('append'), other.store.arrival('append')];
          const lost = appendOne(one.client, 's', 'any');
          const kept = appendOne(other.client, 's', 'no-stream');
          await Promise.all(arrivals);
          one.store.vanish();
          await expect(lost).rejects.toMatchObject({ name: 'AppendOutcomeUnknown' });
          other.store.appends[0]?.accept();
          expect(await kept).toMatchObject({ wasAcknowledgedAtFirstSending: true });
        },
        { answerTimeoutMs: 5_000 },
      );
    });
  });

  test('an answer that nobody waits for is ignored and does not end the process', async () => {
    const entries: LogEntry[] = [];
    await withFakeStore(
      async ({ store, client }) => {
        store.onAppend = (append) => {
          append.accept();
          append.accept();
        };
        await appendOne(client, 's', 'no-stream');
        await appendOne(client, 's', 0);
        expect(entries.map(({ message }) => message)).toContain(
          'an answer to an append came that nobody waits for',
        );
      },
      { log: (entry) => entries.push(entry) },
    );
  });

  test('an answer to a given-up connection comes too late and harms nobody', async () => {
    await withFakeStore(async ({ store, client }) => {
      const late: FakeAppend[] = [];
      store.onAppend = (append) => late.push(append);
      const settled = appendOne(client, 's', 'no-stream');
      await store.arrival('append');
      store.onAppend = (append) => {
        for (const each of late) each.accept();
        append.accept();
      };
      expect(await settled).toEqual({ revision: 0, position: 10n, wasAcknowledgedAtFirstSending: false });
      expect(await appendOne(client, 's', 0)).toMatchObject({ revision: 1 });
      expect(store.log.stream('s')).toHaveLength(2);
    });
  });

  test('P4: appends in flight when the store is killed are each settled, once, when it is back', async () => {
    await withFakeStore(async ({ store, client }) => {
      const names = Array.from({ length: 12 }, (_, at) => `stream-${at}`);
      const allArrived = new Promise<void>((resolve) => {
        store.onAppend = (append) => {
          if (Number(append.stream.split('-')[1]) % 2 === 0) append.write();
          if (store.appends.length === names.length) resolve();
        };
      });
      const settled = Promise.all(names.map((name) => appendOne(client, name, 'no-stream')));
      await allArrived;
      store.vanish();
      store.onAppend = (append) => {
        append.accept();
      };
      await store.serve();
      expect(await settled).toEqual(
        names.map(() => expect.objectContaining({ revision: 0, wasAcknowledgedAtFirstSending: false })),
      );
      expect(names.map((name) => store.log.stream(name).length)).toEqual(names.map(() => 1));
    });
  });
});

/** A client whose way to the store can be frozen and cut. */
const withGate = async (
  test: (setup: { client: EventStoreClient; gate: TcpGate; store: FakeStore }) => Promise<void>,
): Promise<void> => {
  await withFakeStore(async ({ store }) => {
    const gate = await TcpGate.start(store.port);
    const client = EventStoreClient.connect(`esdb://127.0.0.1:${gate.port}?tls=false`, quickOptions);
    try {
      await test({ client, gate, store });
    } finally {
      await client.close();
      gate.close();
    }
  });
};

describe('a network that fails in its own way', () => {
  test('appends that wait for the transport when it is cut do not end the process', async () => {
    await withGate(async ({ client, gate, store }) => {
      const rejections: unknown[] = [];
      const note = (reason: unknown): number => rejections.push(reason);
      process.on('unhandledRejection', note);
      await appendOne(client, 's', 'any');
      gate.freeze();
      const large = { type: 'x', data: Buffer.alloc(300_000) };
      const settled = Promise.allSettled(
        Array.from({ length: 60 }, () =>
          client.append('s', [{ id: crypto.randomUUID(), ...large }], { expectedRevision: 'any' }),
        ),
      );
      // Until the transport is full and the rest waits its turn.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      gate.cut();
      gate.thaw();
      const outcomes = await settled;
      process.off('unhandledRejection', note);
      expect(rejections).toEqual([]);
      // What waited its turn was not sent, so it could be sent on the next connection.
      const appendedCount = outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
      expect(appendedCount).toBeGreaterThan(0);
      expect(store.log.stream('s').length).toBeGreaterThan(appendedCount);
    });
  });

  test('one that swallows everything is found out, and the append settled on another connection (P4)', async () => {
    await withGate(async ({ client, gate, store }) => {
      await appendOne(client, 's', 'no-stream');
      gate.freeze();
      const settled = appendOne(client, 's', 0);
      const connected = store.arrival('batch-call');
      gate.thawNew();
      await connected;
      expect(await settled).toMatchObject({ revision: 1, wasAcknowledgedAtFirstSending: false });
      gate.thaw();
      expect(await appendOne(client, 's', 1)).toMatchObject({ revision: 2 });
      expect(store.log.stream('s')).toHaveLength(3);
    });
  });
});

test('defect 2: a wrong revision is thrown with the right number, whatever the connection string says', async () => {
  await withFakeStore(async ({ store }) => {
    store.write('s', fakeEvent('a'), fakeEvent('b'), fakeEvent('c'));
    const address = `${store.connectionString}&throwOnAppendFailure=false`;
    const client = EventStoreClient.connect(address, quickOptions);
    try {
      await expect(appendOne(client, 's', 0)).rejects.toMatchObject({ name: 'AppendConflict', actual: 2 });
    } finally {
      await client.close();
    }
  });
});

test('defect 3: leaving a read early leaves no call open at the store', async () => {
  await withFakeStore(async ({ store, client }) => {
    store.write('s', ...'abcdef'.split('').map((id) => fakeEvent(id)));
    for await (const page of client.readStream('s', { pageSize: 2 })) {
      expect(page).toHaveLength(2);
      break;
    }
    await appendOne(client, 'other', 'any');
    expect([store.readCount, store.openReadCount]).toEqual([1, 0]);
  });
});

describe('defect 4: an append to a dead store surfaces as a raw gRPC error', () => {
  test('it is unavailable, surely unwritten, when nobody was ever there', async () => {
    const store = await FakeStore.start();
    store.vanish();
    const client = EventStoreClient.connect(store.connectionString, { ...quickOptions, timeoutMs: 100 });
    try {
      await expect(appendOne(client, 's', 'no-stream')).rejects.toMatchObject({
        name: 'StoreUnavailable',
        mayRetry: true,
        cause: { code: status.UNAVAILABLE },
      });
    } finally {
      await client.close();
    }
  });

  test('a store that dies between two appends is tried again until it is back', async () => {
    await withFakeStore(async ({ store, client }) => {
      await appendOne(client, 's', 'no-stream');
      store.vanish();
      const again = appendOne(client, 's', 0);
      await store.serve();
      expect(await again).toMatchObject({ revision: 1 });
    });
  });

  test('a store that hears and does not answer while opening does not hold up the next try', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        store.answersFeatures = false;
        await expect(
          client.append('s', [{ id: crypto.randomUUID(), type: 'x', data: 1 }], {
            expectedRevision: 'any',
            timeoutMs: 80,
          }),
        ).rejects.toMatchObject({ name: 'StoreUnavailable' });
        store.answersFeatures = true;
        expect(await appendOne(client, 's', 'any')).toMatchObject({ revision: 0 });
      },
      { openTimeoutMs: 30 },
    );
  });
});

describe('defect 6: credentials given per call switch to the unary append', () => {
  test('those of the connection string are sent with batch appends and reads', async () => {
    const certificate = await makeCertificate();
    const pair = { private_key: certificate.key, cert_chain: certificate.certificate };
    const store = await FakeStore.start('127.0.0.1:0', ServerCredentials.createSsl(null, [pair]));
    const ca = encodeURIComponent(certificate.certificatePath);
    const client = EventStoreClient.connect(
      `esdb://admin:changeit@localhost:${store.port}?tlsCAFile=${ca}`,
      quickOptions,
    );
    try {
      await appendOne(client, 's', 'no-stream');
      for await (const page of client.readStream('s')) expect(page).toHaveLength(1);
      const expected = `Basic ${Buffer.from('admin:changeit').toString('base64')}`;
      expect(store.metadata.map((metadata) => metadata.get('authorization'))).toEqual([
        [expected],
        [expected],
      ]);
      expect([store.batchCalls.length, store.unaryAppendCount]).toEqual([1, 0]);
    } finally {
      await client.close();
      store.vanish();
      await certificate.remove();
    }
  });

  test('it says that they are ignored without TLS', async () => {
    const entries: LogEntry[] = [];
    const log = (entry: LogEntry): number => entries.push(entry);
    const clients = ['esdb://admin:changeit@127.0.0.1:1?tls=false', 'esdb://127.0.0.1:1?tls=false'].map(
      (address) => EventStoreClient.connect(address, { log }),
    );
    expect(entries.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: without TLS the credentials of the connection string are ignored',
    ]);
    await Promise.all(clients.map((client) => client.close()));
  });
});

describe('an append without an answer', () => {
  test('is settled by its ids in the log when the store wrote it and is silent (P4)', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onAppend = (append) => void append.write();
      expect(await appendOne(client, 's', 'no-stream')).toEqual({
        revision: 0,
        position: 10n,
        wasAcknowledgedAtFirstSending: false,
      });
      expect(store.batchCalls).toHaveLength(1);
    });
  });

  test('is lost when other ids stand at its revisions (P4)', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onAppend = unanswered;
      const lost = appendOne(client, 's', 'no-stream');
      await store.arrival('append');
      store.write('s', fakeEvent('other'), fakeEvent('another'));
      await expect(lost).rejects.toMatchObject({ name: 'AppendConflict', actual: 1 });
    });
  });

  test('is repeated with the same bytes on the same connection when the store says that it timed out (P4)', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onAppend = (append) => {
        if (store.appends.length < 3)
          append.answer(namedStatus(store.appends.length === 1 ? 'Timeout' : 'Unknown'));
        else append.accept();
      };
      expect(await appendOne(client, 's', 'no-stream')).toMatchObject({
        wasAcknowledgedAtFirstSending: false,
      });
      const [first, second, third] = store.appends;
      expect([second?.events, third?.events]).toEqual([first?.events, first?.events]);
      expect(new Set(store.appends.map(({ expected }) => expected))).toEqual(new Set([-1]));
      expect(store.batchCalls).toHaveLength(1);
    });
  });

  test('that is refused with its whole stream is tried on a new connection next time', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onAppend = ({ call }) => call.emit('error', { code: status.PERMISSION_DENIED, details: 'no' });
      await expect(appendOne(client, 's', 'no-stream')).rejects.toMatchObject({ name: 'AccessDenied' });
      store.onAppend = (append) => {
        append.accept();
      };
      expect(await appendOne(client, 's', 'no-stream')).toMatchObject({ revision: 0 });
    });
  });

  test('is settled also where it is one of so many that looking for all at once would take too long (P4)', async () => {
    await withFakeStore(
      async ({ store, client }) => {
        const names = Array.from({ length: 300 }, (_, at) => `s-${at}`);
        const allArrived = new Promise<void>((resolve) => {
          store.onAppend = () => {
            if (store.appends.length === names.length) resolve();
          };
        });
        const settled = Promise.all(names.map((name) => appendOne(client, name, 'no-stream')));
        await allArrived;
        // A store that answers one read after the other: all of them take longer than one may.
        let answered = Promise.resolve();
        store.onRead = (call) => {
          answered = answered.then(async () => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            call.write(streamNotFoundResponse('s'));
            call.end();
          });
          return true;
        };
        store.onAppend = (append) => {
          append.accept();
        };
        store.batchCalls[0]?.emit('error', { code: status.UNAVAILABLE, details: 'going down' });
        expect(new Set((await settled).map(({ revision }) => revision))).toEqual(new Set([0]));
        expect(store.batchCalls).toHaveLength(2);
      },
      { answerTimeoutMs: 1_000 },
    );
  });

  test('is refused where the store ends the stream of appends because of it', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onAppend = ({ call }) => call.emit('error', { code: status.INVALID_ARGUMENT, details: 'no' });
      await expect(appendOne(client, 's', 'no-stream')).rejects.toMatchObject({ name: 'AppendRefused' });
    });
  });

  test('is settled where the store ends the stream of appends and does not say because of which (P4)', async () => {
    await withFakeStore(async ({ store, client }) => {
      store.onAppend = (append) => {
        if (store.appends.length === 1) append.write();
        else append.call.emit('error', { code: status.INVALID_ARGUMENT, details: 'no' });
        if (store.appends.length === 2) {
          store.onAppend = (repeated) => {
            repeated.accept();
          };
        }
      };
      const names = ['written', 'wrong'];
      const receipts = await Promise.all(names.map((name) => appendOne(client, name, 'no-stream')));
      const settled = { revision: 0, wasAcknowledgedAtFirstSending: false };
      expect(receipts).toMatchObject([settled, settled]);
      expect(store.log.stream('written')).toHaveLength(1);
    });
  });

  test('goes to the node that is named as the leader', async () => {
    await withFakeStore(async ({ store: leader }) => {
      await withFakeStore(async ({ store, client }) => {
        store.onAppend = ({ call }) => {
          const metadata = new Metadata();
          metadata.set('exception', 'not-leader');
          metadata.set('leader-endpoint-host', '127.0.0.1');
          metadata.set('leader-endpoint-port', String(leader.port));
          call.emit('error', { code: status.NOT_FOUND, details: 'not leader', metadata });
        };
        await appendOne(client, 's', 'no-stream');
        expect(leader.log.stream('s')).toHaveLength(1);
      });
    });
  });

  test('survives a store that says it is not the leader and does not say who is', async () => {
    await withFakeStore(async ({ store, client }) => {
      const metadata = new Metadata();
      metadata.set('exception', 'not-leader');
      const notLeader = { code: status.NOT_FOUND, details: 'not leader', metadata };
      store.onAppend = ({ call }) => call.emit('error', notLeader);
      store.onRead = (call) => {
        store.onRead = () => false;
        store.onAppend = (append) => {
          append.accept();
        };
        return call.emit('error', notLeader);
      };
      expect(await appendOne(client, 's', 'no-stream')).toMatchObject({ revision: 0 });
    });
  });
});
