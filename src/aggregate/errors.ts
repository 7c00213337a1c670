/** Why the tracker did not answer as it was asked to. */
abstract class TrackerError extends Error {
  /** Whether the same input, unchanged, may be given again. With the same id that is always safe. */
  abstract readonly mayRetry: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** It was surely not accepted. */
export class Unavailable extends TrackerError {
  readonly mayRetry = true;

  constructor(
    message: string,
    /** When to try again, in milliseconds from now. */
    readonly retryAfterMs: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** It may have been accepted, or come to be: only the same input with the same id may be given again (P4). */
export class OutcomeUnknown extends TrackerError {
  readonly mayRetry = true;
}

/** It broke an invariant, was set aside and changed nothing (P6). */
export class InputQuarantined extends TrackerError {
  readonly mayRetry = false;
}

/** Its encoded form is too large, and nothing was written (P11). */
export class InputTooLarge extends TrackerError {
  readonly mayRetry = false;

  constructor(
    readonly field: string,
    readonly bytes: number,
    readonly bytesMax: number,
  ) {
    super(`${field}: it has ${bytes} bytes when encoded; at most ${bytesMax} are allowed`);
  }
}

/** What stands in the log cannot be folded: no server can go on from it (P6, P28). */
export class LogUnusable extends TrackerError {
  readonly mayRetry = false;
}
