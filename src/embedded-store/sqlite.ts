import type * as photostructure from '@photostructure/sqlite';

/**
 * The SQLite driver: `node:sqlite` where this Node.js has it, else a prebuilt package of the same interface.
 * One code path serves both.
 */
export type SqliteDatabase = photostructure.DatabaseSyncInstance;
export type SqliteStatement = photostructure.StatementSyncInstance;

type Driver = Pick<typeof photostructure, 'DatabaseSync' | 'StatementSync'>;

/** The result codes that this store tells apart. https://www.sqlite.org/rescode.html */
export const sqliteCode = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  notADatabase: 26,
  ioErrorWrite: 778,
  ioErrorFsync: 1_034,
  ioErrorDirectoryFsync: 1_290,
} as const;

const driver = await loadDriver();

async function loadDriver(): Promise<Driver> {
  const builtin = withoutExperimentalWarning(
    () => process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as Driver | undefined,
  );
  return builtin && returnsArrays(builtin) ? builtin : await import('@photostructure/sqlite');
}

/** Node 22 had `node:sqlite` for a while without rows as arrays, which reading needs to be fast. */
function returnsArrays({ StatementSync }: Driver): boolean {
  return 'setReturnArrays' in StatementSync.prototype;
}

/** Node 22 and 24 warn about `node:sqlite` on stderr at each start; a user can do nothing about it. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

export function openDatabase(file: string): SqliteDatabase {
  return new driver.DatabaseSync(file);
}

/** The extended result code of an error thrown by the driver, or undefined if it came from elsewhere. */
export function codeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { sqliteExtendedCode, errcode } = error as { sqliteExtendedCode?: unknown; errcode?: unknown };
  if (typeof sqliteExtendedCode === 'number') return sqliteExtendedCode;
  return typeof errcode === 'number' ? errcode : undefined;
}

/** The part of a result code that names the kind of error. */
export const primaryCode = (code: number): number => code & 0xff;
