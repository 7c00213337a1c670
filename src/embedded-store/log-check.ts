import { UnusableFile } from './errors.js';
import { limits } from './limits.js';
import { applicationId, checksumOf, formatVersion } from './log-format.js';
import { codeOf, primaryCode, sqliteCode, type SqliteDatabase } from './sqlite.js';
import { emptyBytes } from './stored-event.js';

/**
 * Looks before anything is written whether the file is a log that this version can serve.
 *
 * @throws UnusableFile saying which file and why
 */
export function verifyLog(database: SqliteDatabase, file: string): void {
  try {
    verifyFormat(database, file);
    const isSmall = value(database, 'page_count') * value(database, 'page_size') <= limits.fullCheckBytesMax;
    if (isSmall) verifyPages(database, file);
    verifyEvents(database, file, isSmall ? Number.MAX_SAFE_INTEGER : limits.checkedEventsCount);
  } catch (error) {
    throw codeOf(error) === undefined ? error : new UnusableFile(file, reasonOf(error), { cause: error });
  }
}

function verifyFormat(database: SqliteDatabase, file: string): void {
  if (value(database, 'page_count') === 0)
    throw new UnusableFile(file, 'it is empty, though it was a log once');
  if (value(database, 'application_id') !== applicationId) {
    throw new UnusableFile(file, 'it is an SQLite file of another program');
  }
  const version = value(database, 'user_version');
  if (version > formatVersion) {
    throw new UnusableFile(
      file,
      `it has format ${version}, and this version of Longshore reads up to format ${formatVersion}; use a newer one`,
    );
  }
}

function verifyPages(database: SqliteDatabase, file: string): void {
  const finding = firstColumn(database, 'PRAGMA quick_check(1)');
  if (finding !== 'ok') throw new UnusableFile(file, `it is damaged: ${String(finding)}`);
}

function verifyEvents(database: SqliteDatabase, file: string, count: number): void {
  const newest = database.prepare(
    'SELECT position, id, checksum, data, metadata FROM events ORDER BY position DESC LIMIT ?',
  );
  for (const row of newest.iterate(count) as Iterable<EventRow>) {
    if (checksumOf(row.id, row.data, row.metadata ?? emptyBytes) !== row.checksum) {
      throw new UnusableFile(
        file,
        `it is damaged: the event at position ${row.position} is not what was written`,
      );
    }
  }
}

interface EventRow {
  readonly position: number;
  readonly id: string;
  readonly checksum: number;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array | null;
}

function value(database: SqliteDatabase, pragma: string): number {
  return Number(firstColumn(database, `PRAGMA ${pragma}`));
}

function firstColumn(database: SqliteDatabase, sql: string): unknown {
  const row = database.prepare(sql).get() as Record<string, unknown> | undefined;
  return Object.values(row ?? {})[0];
}

function reasonOf(error: unknown): string {
  const code = primaryCode(codeOf(error) ?? 0);
  if (code === sqliteCode.notADatabase) return 'it is not a log of Longshore';
  if (code === sqliteCode.corrupt) return 'it is damaged';
  return error instanceof Error ? error.message : String(error);
}
