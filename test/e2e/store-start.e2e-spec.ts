import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SqliteDatabase } from '../../src/embedded-store/sqlite.js';
import { makeCertificate } from '../kit/certificate.js';
import { fingerprintOf } from '../kit/directory-fingerprint.js';
import { withSmallDisk } from '../kit/full-disk.js';
import { withStore } from '../kit/running-store.js';
import { eventsOf, newEvent, newEvents, range } from '../kit/store-driver.js';
import { StoreProcess, type ProcessEnd } from '../kit/store-process.js';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';

afterEach(() => StoreProcess.endAll());

/** One line for a person, and the exit status that a script sees. */
const expectRefusal = (end: ProcessEnd, ...parts: readonly (string | RegExp)[]): void => {
  expect(end).toMatchObject({ exitCode: 1, signal: null, output: '' });
  expect(end.errors).toMatch(/^(longshore store|error): [^\n]+\n$/);
  for (const part of parts) expect(end.errors).toMatch(part);
};

const refusalIn = (directory: string, ...flags: readonly string[]): Promise<ProcessEnd> =>
  StoreProcess.refusal(['--data', directory, '--port', '0', ...flags]);

describe('a data directory that another process holds', () => {
  it('is refused by naming the holder, and not touched', async () => {
    await withTemporaryDirectory(async (path) => {
      await withStore(path, async ({ process, client }) => {
        await client.append('s', newEvents(3), 'no-stream');
        const before = await fingerprintOf(path);
        const end = await refusalIn(path);
        expectRefusal(
          end,
          path,
          `process ${process.processId} on ${hostname()}`,
          `127.0.0.1:${process.port}`,
        );
        expect(await fingerprintOf(path)).toEqual(before);
        expect(await client.append('s', newEvents(1), 2)).toMatchObject({ revision: 3 });
      });
    });
  });

  it('is free again at once when its holder was killed', async () => {
    await withTemporaryDirectory(async (path) => {
      await (await StoreProcess.start(path)).end('SIGKILL');
      await withStore(path, async ({ client }) => {
        expect(await client.append('s', newEvents(1), 'no-stream')).toMatchObject({ revision: 0 });
      });
    });
  });
});

/** A directory with a closed log of a few streams. Returns what every reader must be told. */
const fillLog = (path: string): Promise<string> =>
  withStore(path, async ({ client }) => {
    for (const at of range(30)) await client.append(`stream-${at % 5}`, [payload(at)], 'any');
    return everythingIn(client);
  });

const payload = (at: number) =>
  newEvent({ type: `type-${at}`, data: { payload: `payload-${at}`.repeat(5) } });

const everythingIn = async (
  client: Parameters<Parameters<typeof withStore>[1]>[0]['client'],
): Promise<string> => {
  const all = await client.readAll({ direction: 'forwards', from: 'start', maxCount: 1_000 });
  const streams = await Promise.all(range(5).map((at) => client.readStream(`stream-${at}`)));
  return JSON.stringify([all, streams.map(eventsOf)], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
};

/** Flips bits of the byte at a place in the file. */
const damage = async (file: string, place: number): Promise<void> => {
  const handle = await open(file, 'r+');
  try {
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, place);
    await handle.write(Buffer.from([buffer.readUInt8() ^ 0x41]), 0, 1, place);
  } finally {
    await handle.close();
  }
};

/** Starts on files that it must refuse, and finds that they are as before. */
const expectUntouchedRefusal = async (
  path: string,
  ...parts: readonly (string | RegExp)[]
): Promise<void> => {
  const before = await logIn(path);
  expectRefusal(await refusalIn(path), ...parts);
  expect(await logIn(path)).toEqual(before);
};

/** The files that hold events; who holds the directory is written anew at each start. */
const logIn = async (path: string): Promise<unknown> =>
  Object.entries(await fingerprintOf(path)).filter(([file]) => file.startsWith('events.db'));

/** Everywhere, since SQLite leaves copies in parts of the file that it no longer uses. */
const damageEach = async (file: string, text: string): Promise<void> => {
  const bytes = await readFile(file);
  expect(bytes.includes(text)).toBe(true);
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) await damage(file, at + 2);
};

describe('a damaged log', () => {
  it.each([
    ['a payload', 'payload-17payload'],
    ['the type of an event', 'type-17'],
    ['the name of a stream', 'stream-3'],
    ['its schema', 'is_json'],
  ])('is refused if a byte of %s was flipped', async (_, text) => {
    await withTemporaryDirectory(async (path) => {
      await fillLog(path);
      const file = join(path, 'events.db');
      await damageEach(file, text);
      await expectUntouchedRefusal(path, `${file} cannot be used: it is damaged`);
    });
  });

  it('is refused, or read as it was written, whatever byte was flipped', async () => {
    await withTemporaryDirectory(async (path) => {
      const original = join(path, 'original');
      const written = await fillLog(original);
      const { size } = await stat(join(original, 'events.db'));
      const places = range(12).map((at) => Math.floor((size * (at + 0.37)) / 12));
      await Promise.all(
        [places.slice(0, 6), places.slice(6)].map(async (half) => {
          for (const place of half) {
            const directory = join(path, `damaged-at-${place}`);
            await mkdir(directory);
            await copyFile(join(original, 'events.db'), join(directory, 'events.db'));
            await damage(join(directory, 'events.db'), place);
            const outcome = await withStore(directory, ({ client }) => everythingIn(client)).catch(String);
            expect([place, outcome === written || /cannot be used/.test(outcome)]).toEqual([place, true]);
          }
        }),
      );
    });
  });

  it.each([
    ['to half of it', 0.5],
    ['to less than a page', 0.01],
    ['to nothing', 0],
  ])('is refused if it was cut %s', async (_, share) => {
    await withTemporaryDirectory(async (path) => {
      await fillLog(path);
      const file = join(path, 'events.db');
      await truncate(file, Math.floor((await stat(file)).size * share));
      await expectUntouchedRefusal(path, `${file} cannot be used: it is`);
    });
  });
});

describe('a log that a killed process left behind', () => {
  const afterKill = async (test: (path: string, written: string) => Promise<void>): Promise<void> =>
    withTemporaryDirectory(async (path) => {
      const written = await withStore(path, async ({ process, client }) => {
        for (const at of range(30)) await client.append(`stream-${at % 5}`, [payload(at)], 'any');
        const everything = await everythingIn(client);
        await process.end('SIGKILL');
        return everything;
      });
      await test(path, written);
    });

  it('is refused if a byte in the midst of the write-ahead log was flipped: what follows was acknowledged', async () => {
    await afterKill(async (path) => {
      const wal = join(path, 'events.db-wal');
      await damage(wal, Math.floor((await stat(wal)).size / 2));
      await expectUntouchedRefusal(path, `${path}/events.db cannot be used: it is damaged: ${wal}`);
    });
  });

  it('is refused if the write-ahead log begins with something else', async () => {
    await afterKill(async (path) => {
      await damage(join(path, 'events.db-wal'), 20);
      await expectUntouchedRefusal(path, `it is damaged: ${path}/events.db-wal`);
    });
  });

  it('is refused if the file was cut to nothing, and keeps the write-ahead log', async () => {
    await afterKill(async (path) => {
      await truncate(join(path, 'events.db'), 0);
      await expectUntouchedRefusal(path, 'it is empty, though it was a log once');
    });
  });

  it('is used without what an unfinished write left at its end', async () => {
    await afterKill(async (path, written) => {
      const wal = join(path, 'events.db-wal');
      await writeFile(wal, (await readFile(wal)).subarray(-3_000), { flag: 'a' });
      expect(await withStore(path, ({ client }) => everythingIn(client))).toBe(written);
    });
  });
});

describe('a file that is not a log of this version', () => {
  it('is refused if it is of a newer format', async () => {
    await withTemporaryDirectory(async (path) => {
      await fillLog(path);
      const file = join(path, 'events.db');
      const database = new SqliteDatabase(file);
      database.exec('PRAGMA user_version = 7');
      database.close();
      await expectUntouchedRefusal(path, `${file} cannot be used: it has format 7`, 'up to format 1');
    });
  });

  it('is refused if another program made it with SQLite', async () => {
    await withTemporaryDirectory(async (path) => {
      const file = join(path, 'events.db');
      const database = new SqliteDatabase(file);
      database.exec('CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES (1)');
      database.close();
      await expectUntouchedRefusal(path, `${file} cannot be used: it is an SQLite file of another program`);
    });
  });

  it('is refused if another program has yet to bring its transaction to an end', async () => {
    await withTemporaryDirectory(async (path) => {
      const file = join(path, 'events.db');
      const database = new SqliteDatabase(file);
      database.exec('CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES (1)');
      database.close();
      // The first bytes of every rollback journal, in the form that asks for a roll-back.
      await writeFile(
        `${file}-journal`,
        Buffer.concat([Buffer.from('d9d505f920a163d7', 'hex'), Buffer.alloc(1_000, 1)]),
      );
      await expectUntouchedRefusal(path, `${file} cannot be used`);
    });
  });

  it('is refused if it is not SQLite at all', async () => {
    await withTemporaryDirectory(async (path) => {
      const file = join(path, 'events.db');
      await writeFile(file, 'Dear diary, '.repeat(1_000));
      await expectUntouchedRefusal(path, `${file} cannot be used: it is not a log of Longshore`);
    });
  });
});

describe('a start that cannot be', () => {
  it('is refused if the port is in use, and leaves neither socket nor holder', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      await withTemporaryDirectory(async (path) => {
        expectRefusal(
          await refusalIn(path, '--port', String(port)),
          `127.0.0.1:${port} is taken by another program`,
        );
        expect((await readdir(path)).toSorted()).toEqual(['events.db', 'store.lock']);
        await withStore(path, async ({ client }) => {
          expect(await client.append('s', newEvents(1), 'no-stream')).toMatchObject({ revision: 0 });
        });
      });
    } finally {
      other.close();
    }
  });

  it('is refused if the data directory is a file, or lies in one', async () => {
    await withTemporaryDirectory(async (path) => {
      const file = join(path, 'file');
      await writeFile(file, 'kept');
      expectRefusal(await refusalIn(file), `${file} cannot be used: it is not a directory`);
      expectRefusal(await refusalIn(join(file, 'data')), 'it is not a directory');
      expect(await fingerprintOf(path)).toEqual({ file: expect.stringContaining('4 bytes') as unknown });
    });
  });

  it('is refused if nothing can be written in the data directory', async () => {
    await withSmallDisk(4, async (disk) => {
      const path = join(disk.path, 'data');
      await fillLog(path);
      await disk.makeReadOnly();
      const before = await fingerprintOf(path);
      expectRefusal(await refusalIn(path), path, 'cannot be used');
      expectRefusal(await refusalIn(join(disk.path, 'new')), `${disk.path}/new cannot be used`);
      expect(await fingerprintOf(path)).toEqual(before);
    });
  });

  it('is refused if there is no room for a new log', async () => {
    await withSmallDisk(1, async (disk) => {
      await disk.fill();
      const path = join(disk.path, 'data');
      expectRefusal(await refusalIn(path), path, /no space|full/);
      await disk.empty();
      await withStore(path, async ({ client }) => {
        expect(await client.append('s', newEvents(1), 'no-stream')).toMatchObject({ revision: 0 });
      });
    });
  });

  it('is refused if the path of the socket would be too long, before anything is made', async () => {
    await withTemporaryDirectory(async (path) => {
      const long = join(path, 'd'.repeat(100));
      expectRefusal(
        await refusalIn(long),
        'the path of the socket',
        '107',
        'choose a shorter data directory',
      );
      expect(await readdir(path)).toEqual([]);
    });
  });

  it.each([
    ['no directory', [], /--data <directory>/],
    ['a port that is none', ['--data', 'DIR', '--port', '65536'], /whole number from 0 to 65535/],
    ['a flag that does not exist', ['--data', 'DIR', '--prot', '1'], /unknown option '--prot'/],
    ['a limit that is none', ['--data', 'DIR', '--append-bytes-max', '1k'], /whole number from 1024/],
    ['a certificate without its key', ['--data', 'DIR', '--tls-cert', 'x'], /go together/],
    [
      'a certificate that is not there',
      ['--data', 'DIR', '--tls-cert', 'x', '--tls-key', 'x'],
      /ENOENT.*'x'/,
    ],
    ['users without TLS', ['--data', 'DIR', '--users', 'x'], /--users needs --tls-cert/],
    ['an address that others reach', ['--data', 'DIR', '--host', '0.0.0.0'], /give --users with TLS/],
  ])('is refused on wrong flags, before anything is made: %s', async (_, flags, reason) => {
    await withTemporaryDirectory(async (path) => {
      const data = join(path, 'data');
      const end = await StoreProcess.refusal(flags.map((flag) => (flag === 'DIR' ? data : flag)));
      expect(end.exitCode).toBe(1);
      expect(end.errors.split('\n')[0]).toMatch(reason);
      expect(await readdir(path)).toEqual([]);
    });
  });

  it('is refused if others may read the passwords, or the file holds none', async () => {
    const certificate = await makeCertificate();
    try {
      await withTemporaryDirectory(async (path) => {
        const users = join(path, 'users.json');
        const key = join(path, 'key.pem');
        await writeFile(key, certificate.key);
        await writeFile(users, '[{ "name": "ada", "password": "secret" }]', { mode: 0o644 });
        const flags = ['--tls-cert', certificate.certificatePath, '--tls-key', key, '--users', users];
        const start = () => refusalIn(join(path, 'data'), ...flags);
        expectRefusal(
          await start(),
          `${users} holds passwords and can be read by others`,
          `chmod 600 ${users}`,
        );
        await chmod(users, 0o600);
        await writeFile(users, '[{ "name": "ada" }]');
        expectRefusal(await start(), `${users}: user 1: password is missing`);
        await writeFile(key, randomUUID());
        await writeFile(users, '[{ "name": "ada", "password": "secret" }]');
        expectRefusal(await start(), '--tls-cert', 'cannot be used');
        expect(await readdir(path)).not.toContain('data');
      });
    } finally {
      await certificate.remove();
    }
  });
});
