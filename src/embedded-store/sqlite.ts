import type * as photostructure from '@photostructure/sqlite';

type Driver = Pick<typeof photostructure, 'DatabaseSync' | 'StatementSync'>;

/** The result codes that this store tells apart. https://www.sqlite.org/rescode.html */
export const sqliteCode = {
  error: 1,
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

/** `node:sqlite` where this Node.js has it, else a prebuilt package of the same interface. */
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

/**
 * One connection to an SQLite file.
 *
 * A statement of the prebuilt driver lives, and holds the locks that its connection has, until it is garbage collected,
 * even after `close`. So who closes gives up the locks first (see `EventLog.close`), or has prepared nothing.
 */
export class SqliteDatabase {
  private readonly connection: photostructure.DatabaseSyncInstance;

  constructor(file: string, options: { readonly readOnly?: boolean } = {}) {
    this.connection = new driver.DatabaseSync(file, options);
  }

  exec(sql: string): void {
    this.connection.exec(sql);
  }

  prepare(sql: string): photostructure.StatementSyncInstance {
    return this.connection.prepare(sql);
  }

  /** Selects without a prepared statement. `visit` must not throw: SQLite would not pass it on. */
  forEachRow(columns: string, source: string, visit: (...values: unknown[]) => void): void {
    this.connection.function('visit', { varargs: true }, (...values: unknown[]) => {
      visit(...values);
      return null;
    });
    this.connection.exec(`SELECT visit(${columns}) FROM ${source}`);
  }

  close(): void {
    this.connection.close();
  }
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
