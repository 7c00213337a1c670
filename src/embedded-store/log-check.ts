import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { UnusableFile } from './errors.js';
import { limits } from './limits.js';
import { applicationId, checksumOf, formatVersion } from './log-format.js';
import { codeOf, primaryCode, sqliteCode, SqliteDatabase } from './sqlite.js';
import { emptyBytes } from './stored-event.js';
import { isWriteAheadLogDamaged } from './wal-check.js';

/**
 * Looks before anything is written whether the file is a log that this version can serve.
 *
 * On a connection that only reads: closing any other one would copy the write-ahead log into the file that is being
 * refused.
 *
 * @throws UnusableFile saying which file and why
 */
export function verifyLog(file: string): void {
  // SQLite deletes the write-ahead log of an empty file, even when it only reads.
  if (statSync(file).size === 0) throw new UnusableFile(file, 'it is empty, though it was a log once');
  finishModeChange(file);
  const database = new SqliteDatabase(file, { readOnly: true });
  try {
    verifyFormat(database, file);
    verifyWriteAheadLog(file);
    const isSmall =
      Number(pragma(database, 'page_count')) * Number(pragma(database, 'page_size')) <=
      limits.fullCheckBytesMax;
    if (isSmall) verifyPages(database, file);
    verifyEvents(database, file, isSmall ? Number.MAX_SAFE_INTEGER : limits.checkedEventsCount);
  } catch (error) {
    throw codeOf(error) === undefined ? error : new UnusableFile(file, reasonOf(error), { cause: error });
  } finally {
    database.close();
    rmSync(`${file}-shm`, { force: true });
  }
}

function verifyFormat(database: SqliteDatabase, file: string): void {
  if (Number(pragma(database, 'application_id')) !== applicationId) {
    throw new UnusableFile(file, 'it is an SQLite file of another program');
  }
  const version = Number(pragma(database, 'user_version'));
  if (version > formatVersion) {
    throw new UnusableFile(
      file,
      `it has format ${version}, and this version of Longshore reads up to format ${formatVersion}; use a newer one`,
    );
  }
}

function verifyPages(database: SqliteDatabase, file: string): void {
  // Not `quick_check`, which does not look whether an index still leads to the rows: a stream would look empty.
  const finding = pragma(database, 'integrity_check');
  if (finding !== 'ok') throw new UnusableFile(file, `it is damaged: ${inOneLine(String(finding))}`);
}

function verifyEvents(database: SqliteDatabase, file: string, count: number): void {
  let damagedAt: number | undefined;
  const columns = `position, (SELECT name FROM streams WHERE streams.id = events.stream), revision,
    id, type, is_json, created_at, checksum, data, metadata`;
  const newest = `events ORDER BY position DESC LIMIT ${count}`;
  database.forEachRow(columns, newest, (...row) => {
    const [position, stream, revision, id, type, isJson, createdAt, checksum, data, metadata] = row as [
      number,
      string,
      number,
      string,
      string,
      number,
      number,
      number,
      Uint8Array,
      Uint8Array | null,
    ];
    const rest = { id, type, isJson: isJson === 1, createdAt, data, metadata: metadata ?? emptyBytes };
    if (checksumOf({ position, stream, revision, ...rest }) !== checksum) damagedAt = position;
  });
  if (damagedAt === undefined) return;
  throw new UnusableFile(file, `it is damaged: the event at position ${damagedAt} is not what was written`);
}

function verifyWriteAheadLog(file: string): void {
  if (!isWriteAheadLogDamaged(`${file}-wal`)) return;
  throw new UnusableFile(file, `it is damaged: ${file}-wal does not hold what was written`);
}

/**
 * A process that was killed while it opened or closed the log may have left a rollback journal, and a connection that
 * only reads cannot use such a file. Bringing that to its end is safe: only this store changes the mode of this file.
 *
 * Read here by plain means, before SQLite has opened the file: who closes a file drops the locks that SQLite has on it.
 */
function finishModeChange(file: string): void {
  if (!existsSync(`${file}-journal`) || applicationIdIn(file) !== applicationId) return;
  const database = new SqliteDatabase(file);
  try {
    database.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
  } catch {
    // What is wrong with it is told by what follows.
  } finally {
    database.close();
  }
}

/** https://www.sqlite.org/fileformat2.html#the_database_header */
function applicationIdIn(file: string): number {
  const bytes = Buffer.alloc(4);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes, 0, 4, 68);
  } finally {
    closeSync(descriptor);
  }
  return bytes.readUInt32BE();
}

/** The first thing that the pragma says. */
function pragma(database: SqliteDatabase, name: string): unknown {
  let first: unknown;
  database.forEachRow(name, `pragma_${name}`, (value) => (first ??= value));
  return first;
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

function reasonOf(error: unknown): string {
  const code = primaryCode(codeOf(error) ?? 0);
  if (code === sqliteCode.notADatabase) return 'it is not a log of Longshore';
  const message = inOneLine(error instanceof Error ? error.message : String(error));
  // An error in a statement that worked when it was written: the file no longer has those tables.
  if (code === sqliteCode.corrupt || code === sqliteCode.error) return `it is damaged: ${message}`;
  return message;
}
