import { DamagedEvent, LogFailed, WriteRefused } from './errors.js';
import { limits } from './limits.js';
import { verifyLog } from './log-check.js';
import { checksumOf, schema } from './log-format.js';
import { codeOf, primaryCode, sqliteCode, SqliteDatabase } from './sqlite.js';
import { emptyBytes, type ProposedEvent, type StoredEvent } from './stored-event.js';

export type Direction = 'forwards' | 'backwards';

const columns = 'position, revision, id, type, is_json, created_at, checksum, data, metadata';
const insertEvent = 'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** Statements that return rows as arrays: reading is a third faster than with an object for each row. */
interface Row extends ReadonlyArray<unknown> {
  readonly length: number;
}

/**
 * The file: rows of events in SQLite, and nothing about what appends mean.
 *
 * Every call is synchronous and on one connection, so a reader sees whole transactions only, and only those whose
 * commit has returned, that is, after their fsync (P29).
 */
export class EventLog {
  private readonly statements;
  private nextPosition: number;
  private pagesSinceCheckpoint = 0;
  private checkpointDueAt: number = limits.checkpointPages;
  private hasFailed = false;

  private constructor(
    private readonly database: SqliteDatabase,
    private readonly file: string,
  ) {
    this.statements = prepareStatements(database);
    this.nextPosition = (this.number('lastPosition') ?? -1) + 1;
  }

  /**
   * Writes an empty log. Only under a name that nobody opens yet, and renamed once it is complete.
   *
   * @throws WriteRefused if there is no room for it
   * @throws LogFailed if it could not be brought to disk; the process must end
   */
  static create(file: string): void {
    const database = new SqliteDatabase(file);
    try {
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN; ${schema} COMMIT;`);
    } catch (error) {
      throw closedAfter(database, error);
    }
    database.close();
  }

  /**
   * @throws UnusableFile if the file is damaged, of a newer format, or no log; it was not written to
   * @throws WriteRefused if there is no room to bring what stands in it to disk
   * @throws LogFailed if that failed; the process must end
   */
  static open(file: string): EventLog {
    verifyLog(file);
    const database = new SqliteDatabase(file);
    try {
      configure(database);
      const log = new EventLog(database, file);
      // After a crash the write-ahead log may stand in the page cache alone, its pages marked clean by an fsync that
      // failed. Copying it into the file writes every page anew, so what is served from here on is on disk.
      log.checkpoint('TRUNCATE');
      return log;
    } catch (error) {
      throw closedAfter(database, error);
    }
  }

  get lastPosition(): number {
    return this.nextPosition - 1;
  }

  streamId(name: string): number | undefined {
    return this.number('streamId', name);
  }

  addStream(name: string): number {
    return Number(this.statements.addStream.run(name).lastInsertRowid);
  }

  /** The last revision of a stream that has events, the tombstone aside. */
  lastRevision(stream: number): number | undefined {
    return this.number('lastRevision', stream);
  }

  positionAt(stream: number, revision: number): number | undefined {
    return this.number('positionAt', stream, revision);
  }

  /** Ids of consecutive events, fewer where the stream ends. */
  idsFrom(stream: number, revision: number, count: number): readonly string[] {
    return this.statements.idsFrom
      .all(stream, revision, revision + count - 1)
      .map((row) => at<string>(row, 0));
  }

  /** The newest events of the log, oldest first, as far as they are needed to recognise repeated appends. */
  newestIds(count: number): readonly { id: string; stream: number; revision: number }[] {
    return this.statements.newestIds
      .all(count)
      .reverse()
      .map((row) => ({ id: at<string>(row, 0), stream: at<number>(row, 1), revision: at<number>(row, 2) }));
  }

  /** Adds a row to the open transaction. Returns the event's position. */
  insert(
    stream: { readonly id: number; readonly name: string },
    revision: number,
    event: ProposedEvent,
    createdAt: number,
  ): number {
    const position = this.nextPosition++;
    this.statements.insert.run(
      position,
      stream.id,
      revision,
      event.id,
      event.type,
      event.isJson ? 1 : 0,
      createdAt,
      checksumOf({
        stream: stream.name,
        position,
        revision,
        createdAt,
        id: event.id,
        type: event.type,
        isJson: event.isJson,
        data: event.data,
        metadata: event.metadata,
      }),
      event.data,
      event.metadata.byteLength === 0 ? null : event.metadata,
    );
    return position;
  }

  /** Names of all streams that hold metadata of others. */
  metastreams(): readonly string[] {
    return this.statements.metastreams.all().map((row) => at<string>(row, 0));
  }

  /** Erases, in the open transaction, the oldest events of a stream: at most `count`, and only those before `revision`. */
  erase(stream: number, revision: number, count: number): number {
    return this.statements.erase.run(stream, revision, count, stream).changes;
  }

  /**
   * Runs `work` in one transaction and returns once that is on disk.
   *
   * @param bytes about how much it writes, to know when the write-ahead log wants to be copied
   * @throws WriteRefused if nothing of it was written, nor ever will be
   * @throws LogFailed if that is not certain; the process must end
   */
  transaction<T>(bytes: number, work: () => T): T {
    const firstPosition = this.nextPosition;
    try {
      this.database.exec('BEGIN IMMEDIATE');
      const result = work();
      this.database.exec('COMMIT');
      this.pagesSinceCheckpoint += 4 + Math.ceil(bytes / 2_048);
      return result;
    } catch (error) {
      this.nextPosition = firstPosition;
      this.rollBack();
      throw this.noted(error);
    }
  }

  readStream(
    stream: number,
    name: string,
    direction: Direction,
    from: number,
    maxCount: number,
  ): StoredEvent[] {
    const statement =
      direction === 'forwards' ? this.statements.streamForwards : this.statements.streamBackwards;
    return this.page(statement.iterate(stream, from, maxCount), () => name);
  }

  /** Includes the event at `from`, in either direction. */
  readAll(direction: Direction, from: number, maxCount: number): StoredEvent[] {
    const statement = direction === 'forwards' ? this.statements.allForwards : this.statements.allBackwards;
    return this.page(statement.iterate(from, maxCount), (row) => at<string>(row, 9));
  }

  /**
   * Copies the write-ahead log into the file once it has grown. SQLite's own automatic checkpoint is off, because it
   * hides a failed fsync, and the next one would then vouch for pages that were lost (P29).
   *
   * @throws LogFailed if the copy could not be brought to disk
   */
  checkpointIfDue(): void {
    if (this.pagesSinceCheckpoint < this.checkpointDueAt) return;
    try {
      this.checkpoint('PASSIVE');
    } catch (error) {
      const failure = this.noted(error);
      if (failure instanceof LogFailed) throw failure;
      // No room to grow the file. The write-ahead log keeps everything; trying again at each append would only slow
      // them down, and waiting for as long as the first time would let it grow to twice its size.
      this.checkpointDueAt = this.pagesSinceCheckpoint + limits.checkpointRetryPages;
    }
  }

  private checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    this.database.exec(`PRAGMA wal_checkpoint(${mode})`);
    this.pagesSinceCheckpoint = 0;
    this.checkpointDueAt = limits.checkpointPages;
  }

  /**
   * Leaves one file that holds everything, and no lock on it. After a failed sync it leaves all as it is (P29).
   *
   * @throws LogFailed if what it holds could not be brought to disk; the process must end
   */
  close(): void {
    if (this.hasFailed) return;
    try {
      this.database.exec(
        'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM streams LIMIT 1;',
      );
    } catch (error) {
      const failure = this.noted(error);
      if (failure instanceof LogFailed) throw failure;
      // No room to copy the write-ahead log into the file: the next start does it.
    }
    this.database.close();
  }

  /** What an error of SQLite means, remembered if it is the end of the log. */
  private noted(error: unknown): unknown {
    const failure = failureOf(error);
    if (failure instanceof LogFailed) this.hasFailed = true;
    return failure;
  }

  private page(rows: Iterable<unknown>, streamOf: (row: Row) => string): StoredEvent[] {
    const events: StoredEvent[] = [];
    let bytes = 0;
    for (const row of rows as Iterable<Row>) {
      const event = this.eventOf(row, streamOf(row));
      events.push(event);
      bytes += event.data.byteLength + event.metadata.byteLength;
      if (bytes >= limits.pageBytesMax) break;
    }
    return events;
  }

  private eventOf(row: Row, stream: string): StoredEvent {
    const event = {
      stream,
      position: at<number>(row, 0),
      revision: at<number>(row, 1),
      id: at<string>(row, 2),
      type: at<string>(row, 3),
      isJson: row[4] === 1,
      createdAt: at<number>(row, 5),
      data: at<Uint8Array>(row, 7),
      metadata: at<Uint8Array | null>(row, 8) ?? emptyBytes,
    };
    if (checksumOf(event) !== row[6]) throw new DamagedEvent(this.file, stream, event.revision);
    return event;
  }

  private number(
    name: 'lastPosition' | 'streamId' | 'lastRevision' | 'positionAt',
    ...values: (string | number)[]
  ) {
    const row = this.statements[name].get(...values) as Row | undefined;
    const value = row?.[0];
    return typeof value === 'number' ? value : undefined;
  }

  private rollBack(): void {
    try {
      this.database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }
}

// The caller names what it selected; SQLite's strict tables hold nothing else.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
const at = <T>(row: unknown, column: number): T => (row as Row)[column] as T;

function prepareStatements(database: SqliteDatabase) {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const inStream = `SELECT ${columns} FROM events WHERE stream = ?`;
  const inLog = `SELECT ${columns}, (SELECT name FROM streams WHERE streams.id = events.stream) FROM events`;
  return {
    lastPosition: prepare('SELECT max(position) FROM events'),
    streamId: prepare('SELECT id FROM streams WHERE name = ?'),
    addStream: prepare('INSERT INTO streams (name) VALUES (?)'),
    lastRevision: prepare('SELECT max(revision) FROM events WHERE stream = ? AND revision >= 0'),
    positionAt: prepare('SELECT position FROM events WHERE stream = ? AND revision = ?'),
    idsFrom: prepare('SELECT id FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision'),
    newestIds: prepare('SELECT id, stream, revision FROM events ORDER BY position DESC LIMIT ?'),
    metastreams: prepare("SELECT name FROM streams WHERE name >= '$$' AND name < '$%'"),
    erase: prepare(
      `DELETE FROM events WHERE stream = ? AND revision >= 0 AND revision < min(?, ? + (
         SELECT min(revision) FROM events WHERE stream = ? AND revision >= 0))`,
    ),
    insert: prepare(insertEvent),
    streamForwards: prepare(`${inStream} AND revision >= max(?, 0) ORDER BY revision LIMIT ?`),
    streamBackwards: prepare(`${inStream} AND revision BETWEEN 0 AND ? ORDER BY revision DESC LIMIT ?`),
    allForwards: prepare(`${inLog} WHERE position >= ? ORDER BY position LIMIT ?`),
    allBackwards: prepare(`${inLog} WHERE position <= ? ORDER BY position DESC LIMIT ?`),
  };
}

function configure(database: SqliteDatabase): void {
  // The lock on the directory already keeps others out; with this one SQLite needs no shared memory file either.
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA cache_size = -65536;
  `);
}

/** What the error means. Closes the file unless a sync has failed: closing would sync once more. */
function closedAfter(database: SqliteDatabase, error: unknown): unknown {
  const failure = failureOf(error);
  if (!(failure instanceof LogFailed)) database.close();
  return failure;
}

/** Errors of a write that SQLite undoes before any sync. Everything else may have left the file in an unknown state. */
const mayHaveLost: ReadonlySet<number> = new Set([
  sqliteCode.ioError,
  sqliteCode.corrupt,
  sqliteCode.notADatabase,
  sqliteCode.readOnly,
  sqliteCode.cannotOpen,
  sqliteCode.busy,
]);

function failureOf(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  if (
    primaryCode(code) === sqliteCode.full ||
    primaryCode(code) === sqliteCode.tooBig ||
    code === sqliteCode.ioErrorWrite
  ) {
    return new WriteRefused(reasonOf(error), { cause: error });
  }
  if (!mayHaveLost.has(primaryCode(code))) return error;
  return new LogFailed(`the log could not be brought to disk: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === sqliteCode.full) return 'the disk is full';
  return `${error instanceof Error ? error.message : String(error)} (SQLite code ${code ?? 'unknown'})`;
}
