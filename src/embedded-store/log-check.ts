import { rmSync } from 'node:fs';
import { UnusableFile } from './errors.js';
import { limits } from './limits.js';
import { applicationId, checksumOf, formatVersion } from './log-format.js';
import { codeOf, primaryCode, sqliteCode, SqliteDatabase } from './sqlite.js';
import { emptyBytes } from './stored-event.js';

/**
 * Looks before anything is written whether the file is a log that this version can serve.
 *
 * On a connection that only reads: closing any other one would copy the write-ahead log into the file that is being
 * refused.
 *
 * @throws UnusableFile saying which file and why
 */
export function verifyLog(file: string): void {
  const database = new SqliteDatabase(file, { readOnly: true });
  try {
    verifyFormat(database, file);
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
  if (Number(pragma(database, 'page_count')) === 0)
    throw new UnusableFile(file, 'it is empty, though it was a log once');
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
  const finding = pragma(database, 'quick_check');
  if (finding !== 'ok') throw new UnusableFile(file, `it is damaged: ${String(finding)}`);
}

function verifyEvents(database: SqliteDatabase, file: string, count: number): void {
  let damagedAt: number | undefined;
  const newest = `events ORDER BY position DESC LIMIT ${count}`;
  database.forEachRow('position, id, checksum, data, metadata', newest, (...row) => {
    const [position, id, checksum, data, metadata] = row as [
      number,
      string,
      number,
      Uint8Array,
      Uint8Array | null,
    ];
    if (checksumOf(id, data, metadata ?? emptyBytes) !== checksum) damagedAt = position;
  });
  if (damagedAt === undefined) return;
  throw new UnusableFile(file, `it is damaged: the event at position ${damagedAt} is not what was written`);
}

/** The first thing that the pragma says. */
function pragma(database: SqliteDatabase, name: string): unknown {
  let first: unknown;
  database.forEachRow(name, `pragma_${name}`, (value) => (first ??= value));
  return first;
}

function reasonOf(error: unknown): string {
  const code = primaryCode(codeOf(error) ?? 0);
  if (code === sqliteCode.notADatabase) return 'it is not a log of Longshore';
  if (code === sqliteCode.corrupt) return 'it is damaged';
  return error instanceof Error ? error.message : String(error);
}
