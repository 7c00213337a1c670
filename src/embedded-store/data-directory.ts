import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DirectoryInUse } from './errors.js';
import { EventLog } from './event-log.js';
import { codeOf, primaryCode, sqliteCode, SqliteDatabase } from './sqlite.js';

/** Names of the files in a data directory. */
export const fileNames = {
  log: 'events.db',
  lock: 'store.lock',
  holder: 'store.holder',
  socket: 'store.sock',
} as const;

interface Holder {
  readonly processId: number;
  readonly host: string;
  /** An instant in ISO 8601. */
  readonly since: string;
  /** Where it listens. */
  readonly address: string;
}

/**
 * A data directory held by this process alone.
 *
 * The lock is SQLite's on an empty file of its own: the operating system releases it when the process dies, however it
 * dies. That file and the log must never be opened by anything but SQLite in this process: closing any descriptor of a
 * file drops the locks that the process has on it.
 */
export class DataDirectory {
  private constructor(
    readonly path: string,
    private readonly lock: SqliteDatabase,
  ) {}

  /** @throws DirectoryInUse naming the holder; nothing in the directory was touched */
  static acquire(path: string): DataDirectory {
    mkdirSync(path, { recursive: true });
    const lock = new SqliteDatabase(join(path, fileNames.lock));
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      if (primaryCode(codeOf(error) ?? 0) !== sqliteCode.busy) throw error;
      throw new DirectoryInUse(path, holderOf(path));
    }
    const directory = new DataDirectory(path, lock);
    directory.sayWhoHolds('starting');
    return directory;
  }

  get socketPath(): string {
    return join(this.path, fileNames.socket);
  }

  /** Opens the log, and begins an empty one where there is none. */
  openLog(): EventLog {
    const file = join(this.path, fileNames.log);
    if (!existsSync(file)) this.createLog(file);
    return EventLog.open(file);
  }

  /** For the message that another process gives when it finds the directory in use. */
  sayWhoHolds(address: string): void {
    const holder: Holder = {
      processId: process.pid,
      host: hostname(),
      since: new Date().toISOString(),
      address,
    };
    writeFileSync(join(this.path, fileNames.holder), `${JSON.stringify(holder)}\n`);
  }

  release(): void {
    rmSync(join(this.path, fileNames.holder), { force: true });
    this.lock.close();
  }

  /** Under another name until it is complete: a log that exists is never half made, so an empty one is a damaged one. */
  private createLog(file: string): void {
    const unfinished = `${file}.new`;
    for (const leftover of [unfinished, `${unfinished}-wal`, `${unfinished}-shm`])
      rmSync(leftover, { force: true });
    EventLog.create(unfinished);
    renameSync(unfinished, file);
    syncDirectory(this.path);
  }
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function holderOf(path: string): string {
  try {
    const { processId, host, since, address } = JSON.parse(
      readFileSync(join(path, fileNames.holder), 'utf8'),
    ) as Holder;
    return `process ${processId} on ${host} since ${since} (${address})`;
  } catch {
    return 'another process that is just starting or stopping';
  }
}
