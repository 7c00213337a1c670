export interface LogEntry {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly cause?: unknown;
}

/** Where the client says what it does about trouble. */
export type Log = (entry: LogEntry) => void;
