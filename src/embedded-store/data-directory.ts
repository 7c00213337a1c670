import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DirectoryInUse, UnusableFile, WriteRefused } from './errors.js';
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

  /**
   * @throws DirectoryInUse naming the holder; nothing in the directory was touched
   * @throws UnusableFile if there can be no such directory, or nothing can be written in it
   */
  static acquire(path: string): DataDirectory {
    makeDirectory(path);
    const directory = new DataDirectory(path, lockIn(path));
    try {
      directory.sayWhoHolds('starting');
    } catch (error) {
      directory.release();
      throw unusable(path, error);
    }
    return directory;
  }

  get socketPath(): string {
    return join(this.path, fileNames.socket);
  }

  /**
   * Opens the log, and begins an empty one where there is none.
   *
   * @throws UnusableFile also if the disk is full
   * @throws LogFailed if it could not be brought to disk; the process must end
   */
  openLog(): EventLog {
    const file = join(this.path, fileNames.log);
    try {
      if (!existsSync(file)) {
        refuseLostLog(file);
        this.createLog(file);
      }
      return EventLog.open(file);
    } catch (error) {
      throw error instanceof WriteRefused ? unusable(file, error) : error;
    }
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

/** An empty log must not take the place of one that is elsewhere, for instance on a disk that is not mounted. */
function refuseLostLog(file: string): void {
  const leftovers = [file, `${file}-wal`].filter((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (leftovers.length === 0) return;
  const reason = leftovers.includes(file)
    ? 'it is a link to a file that is not there'
    : 'it is gone, and its write-ahead log is not';
  throw new UnusableFile(file, reason);
}

function makeDirectory(path: string): void {
  try {
    // What is in it holds everything that passwords and access lists protect.
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw unusable(path, error);
    throw new UnusableFile(path, 'it is not a directory', { cause: error });
  }
}

function lockIn(path: string): SqliteDatabase {
  const file = join(path, fileNames.lock);
  let lock: SqliteDatabase | undefined;
  try {
    lock = new SqliteDatabase(file);
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (primaryCode(codeOf(error) ?? 0) !== sqliteCode.busy) throw unusable(file, error);
    throw new DirectoryInUse(path, holderOf(path));
  }
}

const unusable = (file: string, error: unknown): UnusableFile =>
  new UnusableFile(file, error instanceof Error ? error.message : String(error), { cause: error });

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
