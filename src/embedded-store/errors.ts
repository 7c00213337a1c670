/** The directory is held by another process. Nothing in it was touched. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  constructor(
    readonly directory: string,
    readonly holder: string,
  ) {
    super(
      `data directory ${directory} is in use by ${holder}; stop that process, or choose another directory with --data`,
    );
  }
}

/** The files in the directory cannot be served: damaged, of a newer format, or not ours. Nothing was written. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  constructor(
    readonly file: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${file} cannot be used: ${reason}`, options);
  }
}

/** The disk returned other bytes than were written. The event is not handed out; everything else still is. */
export class DamagedEvent extends Error {
  override readonly name = 'DamagedEvent';
  constructor(file: string, stream: string, revision: number) {
    super(`${file} is damaged: event ${revision} of stream ${stream} is not what was written`);
  }
}

/** The stream was ended for good. */
export class StreamTombstoned extends Error {
  override readonly name = 'StreamTombstoned';
  constructor(readonly stream: string) {
    super(`Event stream '${stream}' is deleted.`);
  }
}

/** The append is larger than the store takes at once. Nothing of it was written. */
export class AppendTooLarge extends Error {
  override readonly name = 'AppendTooLarge';
  constructor(readonly bytesMax: number) {
    super(`Maximum Append Size of ${bytesMax} Exceeded.`);
  }
}

/** The request itself is wrong, whatever the store holds. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
}

/** The store was asked to stop before the append had come in whole. Nothing of it was written. */
export class StoreStopping extends Error {
  override readonly name = 'StoreStopping';
  constructor() {
    super('the store is stopping');
  }
}

/** A write that was rolled back before any sync: nothing of it is in the log, and the store goes on. */
export class WriteRefused extends Error {
  override readonly name = 'WriteRefused';
}

/**
 * The log can no longer be trusted to be on disk (P29). Whoever sees this ends the process without another sync:
 * after a failed fsync the kernel may count the lost pages as written, and the next sync would vouch for them.
 */
export class LogFailed extends Error {
  override readonly name = 'LogFailed';
}
