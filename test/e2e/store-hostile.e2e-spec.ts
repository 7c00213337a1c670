import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { Client, credentials, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { limits } from '../../src/embedded-store/limits.js';
import { makeCertificate } from '../kit/certificate.js';
import { ClientDriver } from '../kit/client-driver.js';
import { withStore, type RunningStore } from '../kit/running-store.js';
import { newEvent, newEvents, range, uniqueName } from '../kit/store-driver.js';
import { StoreProcess } from '../kit/store-process.js';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';

const { StreamsService } = streamsServices;

afterEach(() => StoreProcess.endAll());

const withFreshStore = (test: (store: RunningStore) => Promise<void>): Promise<void> =>
  withTemporaryDirectory((path) => withStore(path, test));

/** The store is as well as before: it serves a newcomer, and has complained of nothing. */
const expectWell = async ({ process }: RunningStore): Promise<void> => {
  const newcomer = ClientDriver.connect(`esdb://127.0.0.1:${process.port}?tls=false`);
  try {
    expect(await newcomer.append(uniqueName(), newEvents(1), 'no-stream')).toMatchObject({ revision: 0 });
  } finally {
    await newcomer.stop();
  }
};

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => value,
    (error: unknown) => error,
  );

/** Sends messages as they are, which no client would. */
const sendRaw = async (
  port: number,
  method: string,
  messages: readonly Uint8Array[],
): Promise<ServiceError> => {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    return await new Promise<ServiceError>((resolve, reject) => {
      const path = `/event_store.client.streams.Streams/${method}`;
      const asIs = (bytes: Buffer) => bytes;
      const call = client.makeClientStreamRequest(path, asIs, asIs, (error) =>
        error ? resolve(error) : reject(new Error('it was taken')),
      );
      for (const message of messages) call.write(Buffer.from(message));
      call.end();
    });
  } finally {
    client.close();
  }
};

const badUtf8 = Uint8Array.from([0x61, 0xff, 0xfe, 0x62]);

function optionsFor(stream: Uint8Array): Uint8Array {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(stream);
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(identifier);
  options.setAny(new shared.Empty());
  const request = new streams.AppendReq();
  request.setOptions(options);
  return request.serializeBinary();
}

function eventOfType(type: string): Uint8Array {
  const id = new shared.UUID();
  id.setString(newEvent().id);
  const message = new streams.AppendReq.ProposedMessage();
  message.setId(id);
  message.getMetadataMap().set('type', type);
  message.getMetadataMap().set('content-type', 'application/json');
  const request = new streams.AppendReq();
  request.setProposedMessage(message);
  return request.serializeBinary();
}

const replaced = (bytes: Uint8Array, text: string, by: Uint8Array): Uint8Array => {
  const copy = Buffer.from(bytes);
  copy.set(by, copy.indexOf(text));
  return copy;
};

describe('a request that cannot be', () => {
  it('is refused if it is too large, and the limit itself is not', async () => {
    await withFreshStore(async (store) => {
      for (const path of ['batch', 'unary'] as const) {
        const type = 'filled.v1';
        const room = limits.appendBytesMax - 2 * type.length;
        const ofBytes = (bytes: number) => [newEvent({ type, data: new Uint8Array(bytes) })];
        expect(await store.client.append(path, ofBytes(room), 'no-stream', path)).toMatchObject({
          revision: 0,
        });
        const refused = await store.client.append(path, ofBytes(room + 1), 'any', path);
        expect(refused).toEqual({ kind: 'too-large', bytesMax: limits.appendBytesMax });
        const enormous = ofBytes(limits.messageBytesMax + 1);
        expect(await failureOf(store.client.append(path, enormous, 'any', path))).not.toMatchObject({
          kind: 'appended',
        });
      }
      await expectWell(store);
    });
  });

  it.each([
    ['an empty stream name', '', 'happened.v1', /stream name is empty/],
    [
      'a stream name over the limit',
      's'.repeat(1_025),
      'happened.v1',
      /stream name has more than 1024 bytes/,
    ],
    ['an empty event type', 's', '', /event type is empty/],
    ['an event type over the limit', 's', 'ü'.repeat(513), /event type has more than 1024 bytes/],
  ])('is refused with the reason: %s', async (_, stream, type, reason) => {
    await withFreshStore(async (store) => {
      for (const path of ['batch', 'unary'] as const) {
        const failure = await failureOf(store.client.append(stream, [newEvent({ type })], 'any', path));
        expect(String(failure)).toMatch(reason);
      }
      await expectWell(store);
    });
  });

  it('is refused if a name is not valid UTF-8', async () => {
    await withFreshStore(async (store) => {
      const { port } = store.process;
      const inName = await sendRaw(port, 'Append', [optionsFor(badUtf8), eventOfType('happened.v1')]);
      expect(inName.message).toMatch('stream name is not valid UTF-8');
      const type = replaced(eventOfType('abcd'), 'abcd', badUtf8);
      const inType = await sendRaw(port, 'Append', [optionsFor(Buffer.from('s')), type]);
      expect(inType.message).toMatch('event type is not valid UTF-8');
      await expectWell(store);
    });
  });

  it.each([
    ['text', Buffer.from('Dear store, please append this.')],
    ['a length beyond the end', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f])],
    ['a length beyond the end within', Buffer.from([0x0a, 0x05, 0x0a, 0xff, 0xff, 0xff, 0x7f])],
    ['a million groups within each other', Buffer.alloc(1_000_000, 0x1b)],
    ['a number that never ends', Buffer.alloc(100, 0xff)],
  ])('is refused if it is no protobuf: %s', async (_, message) => {
    await withFreshStore(async (store) => {
      const begun = Date.now();
      for (const method of ['Append', 'BatchAppend', 'Read', 'Delete', 'Tombstone']) {
        const { code } = await sendRaw(store.process.port, method, [message]);
        expect([method, code]).toEqual([method, expect.any(Number)]);
      }
      // Nobody is served while a message is looked at.
      expect(Date.now() - begun).toBeLessThan(3_000);
      await expectWell(store);
    });
  });
});

/** Opens sockets that send `hello` and then nothing. Those the store refuses are closed, and that is fine. */
const openSilent = async (port: number, count: number, hello?: Uint8Array): Promise<readonly Socket[]> =>
  Promise.all(
    range(count).map(async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      socket.resume();
      if (hello) socket.write(hello);
      return socket;
    }),
  );

/** As a client that comes back until it is served. Resolves with how long that took. */
const servedWithinMs = async (connectionString: string): Promise<number> => {
  const begun = Date.now();
  for (;;) {
    const client = ClientDriver.connect(connectionString);
    const outcome = await failureOf(client.append(uniqueName(), newEvents(1), 'no-stream'));
    await client.stop();
    if ((outcome as { kind?: string }).kind === 'appended') return Date.now() - begun;
    // There is no signal for a place that has become free.
    await after(200);
  }
};

/** The first flight of a handshake of TLS. */
const clientHello = async (): Promise<Uint8Array> => {
  const captured = new Promise<Buffer>((resolve) => {
    const duplex = connectTls({ host: '127.0.0.1', socket: new Sink(resolve) });
    duplex.on('error', () => undefined);
  });
  return captured;
};

class Sink extends Duplex {
  constructor(private readonly onWritten: (bytes: Buffer) => void) {
    super();
  }
  override _read(): void {
    // Nobody answers.
  }
  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    this.onWritten(bytes);
    done();
  }
}

describe('a flood', () => {
  const slackMs = 5_000;

  it('of connections that never speak is over when their time is up, and so is one of half handshakes', async () => {
    const certificate = await makeCertificate();
    try {
      await withTemporaryDirectory(async (path) => {
        const key = join(path, 'key.pem');
        await writeFile(key, certificate.key);
        const tlsFlags = ['--tls-cert', certificate.certificatePath, '--tls-key', key];
        await withStore(join(path, 'plain'), async (plain) => {
          const secure = await StoreProcess.start(join(path, 'secure'), tlsFlags);
          const hello = await clientHello();
          const sockets = [
            ...(await openSilent(plain.process.port, limits.connectionsMax + 100)),
            ...(await openSilent(secure.port, (limits.connectionsMax + 100) / 2)),
            ...(await openSilent(secure.port, (limits.connectionsMax + 100) / 2, hello)),
          ];
          const served = await Promise.all([
            servedWithinMs(`esdb://127.0.0.1:${plain.process.port}?tls=false`),
            servedWithinMs(
              `esdb://localhost:${secure.port}?tls=true&tlsCAFile=${encodeURIComponent(certificate.certificatePath)}`,
            ),
          ]);
          for (const ms of served) expect(ms).toBeLessThan(limits.handshakeMs + slackMs);
          for (const socket of sockets) socket.destroy();
          await secure.end('SIGTERM');
          expect(await secure.ended).toMatchObject({ exitCode: 0, errors: '' });
        });
      });
    } finally {
      await certificate.remove();
    }
  });

  it.each([
    ['HTTP/1', Buffer.from('GET /no/such/place HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')],
    ['what is no protocol', Buffer.from(range(4_096).map((at) => (at * 31) % 256))],
    [
      'the start of HTTP/2 and then garbage',
      Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.alloc(512, 0xff)]),
    ],
  ])('of %s is turned away', async (_, bytes) => {
    await withFreshStore(async (store) => {
      const sockets = await openSilent(store.process.port, 50, bytes);
      await Promise.all(sockets.map(async (socket) => (socket.destroyed ? [] : once(socket, 'close'))));
      await expectWell(store);
    });
  });
});

/** Resident memory of a process, in bytes. */
const residentBytes = async (processId: number): Promise<number> => {
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${processId}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
};

function subscriptionToAll(): InstanceType<typeof streams.ReadReq> {
  const all = new streams.ReadReq.Options.AllOptions();
  all.setStart(new shared.Empty());
  const options = new streams.ReadReq.Options();
  options.setAll(all);
  options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  options.setNoFilter(new shared.Empty());
  const form = new streams.ReadReq.Options.UUIDOption();
  form.setString(new shared.Empty());
  options.setUuidOption(form);
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
}

describe('subscribers', () => {
  const subscribe = (client: Client): ClientReadableStream<unknown> => {
    const { path, requestSerialize, responseDeserialize } = StreamsService.read;
    const call = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      subscriptionToAll(),
    );
    call.on('error', () => undefined);
    return call;
  };

  const alone = { 'grpc.use_local_subchannel_pool': 1 };

  it('that never read cost the store no memory', async () => {
    await withFreshStore(async (store) => {
      const { client, process } = store;
      const append = () => client.append('s', [newEvent({ data: { padding: 'x'.repeat(900_000) } })], 'any');
      for (const _ of range(40)) await append();
      const before = await residentBytes(process.processId);
      const clients = range(10).map(
        () => new Client(`127.0.0.1:${process.port}`, credentials.createInsecure(), alone),
      );
      const calls = clients.flatMap((each) => range(5).map(() => subscribe(each).pause()));
      await Promise.all(calls.map((call) => once(call, 'metadata')));
      for (const _ of range(40)) await append();
      // 50 subscribers with 72 MB before each; a few events of each are on their way, and the collector is in no hurry.
      expect((await residentBytes(process.processId)) - before).toBeLessThan(400 * 1_048_576);
      for (const each of clients) each.close();
      for (const call of calls) call.cancel();
      await expectWell(store);
    });
  });

  it('that are cut off by the thousand leave nothing behind', async () => {
    await withFreshStore(async (store) => {
      const { client, process } = store;
      await client.append('s', newEvents(100), 'no-stream');
      const round = async () => {
        const clients = range(10).map(
          () => new Client(`127.0.0.1:${process.port}`, credentials.createInsecure(), alone),
        );
        const calls = clients.flatMap((each) => range(100).map(() => subscribe(each)));
        await Promise.all(calls.map((call) => once(call, 'data')));
        for (const call of calls) call.cancel();
        for (const each of clients) each.close();
      };
      for (const _ of range(4)) await round();
      const before = await residentBytes(process.processId);
      for (const _ of range(4)) await round();
      expect((await residentBytes(process.processId)) - before).toBeLessThan(100 * 1_048_576);
      await expectWell(store);
      await process.end('SIGTERM');
      expect(await process.ended).toMatchObject({ exitCode: 0, errors: '' });
    });
  });
});
