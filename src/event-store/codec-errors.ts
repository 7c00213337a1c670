/** The log has an event that this server does not know. It is never skipped: whoever folds the log stops here (P28). */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor(
    readonly storedName: string,
    readonly revision: number,
  ) {
    super(
      `the event at revision ${revision} is ${JSON.stringify(storedName)}, which this version of Longshore does not know; ` +
        'it was written by a newer one, or by something else',
    );
  }
}

/** The event has a known name and not the shape that goes with it. It is never read with something missing (P28). */
export class MalformedEvent extends Error {
  override readonly name = 'MalformedEvent';

  /** @param revision absent for an event that was about to be stored */
  constructor(
    readonly storedName: string,
    readonly revision: number | undefined,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`${storedName}${revision === undefined ? '' : ` at revision ${revision}`}: ${problem}`, options);
  }
}

export interface BrokenLink {
  readonly revision: number;
  /** What the event and the hash before it give; absent if they give none, since the data is not I-JSON. */
  readonly expected: string | undefined;
  /** What the event carries; absent if it carries no hash. */
  readonly found: string | undefined;
}

/** The event, or one before it, is not what was written there. */
export class ChainBroken extends Error implements BrokenLink {
  override readonly name = 'ChainBroken';
  readonly revision: number;
  readonly expected: string | undefined;
  readonly found: string | undefined;

  constructor({ revision, expected, found }: BrokenLink) {
    super(
      `the hash chain is broken at revision ${revision}: ` +
        `expected ${expected ?? 'no hash, since it is not I-JSON'}, found ${found ?? 'no hash'}; this event or the one before it was changed, removed or inserted`,
    );
    this.revision = revision;
    this.expected = expected;
    this.found = found;
  }
}

/** There is no canonical form of the value, because it is not I-JSON (RFC 7493). */
export class NotIJson extends Error {
  override readonly name = 'NotIJson';

  constructor(readonly path: string) {
    super(`${path} is not I-JSON (RFC 7493), or is nested too deeply`);
  }
}
