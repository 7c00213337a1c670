import { invariant } from '../core/invariant.js';
import { Restoring } from '../core/tracker/restoring.js';
import type { TrackerState } from '../core/tracker/state.js';
import { AppendConflict } from '../event-store/errors.js';
import type { EventStore, ExpectedRevision, Revision } from '../event-store/event-store.js';
import type { Log } from '../event-store/log.js';
import { ContentReader } from './snapshot-content.js';
import { snapshotsIn, type CompleteSnapshot, type SkippedSnapshot } from './snapshot-scan.js';
import { SnapshotWriter, type HashedState, type WrittenSnapshot } from './snapshot-writer.js';

export interface SnapshotsOptions {
  readonly store: EventStore;
  readonly stream: string;
  readonly runtime: {
    /** A UUID nobody else has. */
    readonly newId: () => string;
    /** Resolves once whatever else waits for its turn has had it. */
    readonly turn: () => Promise<void>;
  };
  readonly log: Log;
}

/** How writing a snapshot ended. */
export type WriteOutcome =
  | ({ readonly kind: 'written' } & WrittenSnapshot)
  /** Another writer was there, whose snapshot is as good. What stands of this one will never count. */
  | { readonly kind: 'abandoned'; readonly conflict: AppendConflict };

/** The newest snapshot that verified. */
export interface NewestSnapshot {
  /** Equal, and with nothing in common that is ever changed. */
  readonly states: readonly TrackerState[];
  readonly revision: Revision;
  /** Of the log's chain at that revision. */
  readonly hash: string;
}

interface Place {
  readonly first: Revision;
  readonly last: Revision;
}

/**
 * Snapshots of the tracker's state, the newest two, in a stream of their own. One that is not complete, or does not verify, is as
 * none: the log is what counts, and a snapshot only spares reading it from its beginning.
 */
export class Snapshots {
  private readonly writer: SnapshotWriter;
  /** The newest that was written from here, as long as nobody else is known to have written. */
  private own: Place | undefined;

  constructor(private readonly options: SnapshotsOptions) {
    this.writer = new SnapshotWriter(options);
  }

  /**
   * Writes the state down piece by piece, giving up the turn between pieces. The state must stand still until this settles.
   *
   * @throws what `EventStore.append`, `readStream` and `setStreamLimits` throw, but for `AppendConflict`
   */
  async write(of: HashedState, signal?: AbortSignal): Promise<WriteOutcome> {
    const { end, previous } = await this.standing(signal);
    this.own = undefined;
    const written = await this.writeAfter(end, of, signal);
    if (written instanceof AppendConflict) return { kind: 'abandoned', conflict: written };
    this.own = written;
    // The one before stays, in case that this one turns out to be unreadable.
    if (previous) await this.truncateBefore(previous.first, signal);
    return { kind: 'written', ...written };
  }

  /**
   * Reads the newest snapshot that verifies. Those that do not are logged and skipped.
   *
   * @param stateCount how many states to make of it
   * @param hashInLog of the event at the revision; nothing if the log has no such event
   * @returns nothing if there is none
   * @throws what `EventStore.readStream` throws
   */
  async newest(
    stateCount: number,
    hashInLog: (revision: Revision) => Promise<string | undefined>,
    signal?: AbortSignal,
  ): Promise<NewestSnapshot | undefined> {
    const { store, stream } = this.options;
    for await (const found of snapshotsIn(store, stream, signal)) {
      if (found.kind === 'skipped') this.logSkipped(found);
      else if ((await hashInLog(found.revision)) !== found.chainHash) {
        this.skip(found, `the log has no event ${found.revision} with its hash`);
      } else {
        const newest = await this.restored(found, stateCount);
        if (newest) return newest;
      }
    }
    return undefined;
  }

  private async standing(
    signal: AbortSignal | undefined,
  ): Promise<{ readonly end: ExpectedRevision; readonly previous: Place | undefined }> {
    if (this.own) return { end: this.own.last, previous: this.own };
    const { store, stream } = this.options;
    const end = await this.end(signal);
    for await (const found of snapshotsIn(store, stream, signal)) {
      if (found.kind === 'complete') return { end, previous: found };
    }
    return { end, previous: undefined };
  }

  private async end(signal: AbortSignal | undefined): Promise<ExpectedRevision> {
    const { store, stream } = this.options;
    const options = { direction: 'backwards', maxCount: 1, requiresLeader: true } as const;
    for await (const [last] of store.readStream(stream, { ...options, ...(signal && { signal }) })) {
      if (last) return last.revision;
    }
    return 'no-stream';
  }

  private async writeAfter(
    end: ExpectedRevision,
    of: HashedState,
    signal: AbortSignal | undefined,
  ): Promise<WrittenSnapshot | AppendConflict> {
    try {
      return await this.writer.write(of, end, signal);
    } catch (error) {
      if (error instanceof AppendConflict) return error;
      throw error;
    }
  }

  private async truncateBefore(truncateBefore: Revision, signal: AbortSignal | undefined): Promise<void> {
    const { store, stream } = this.options;
    await store.setStreamLimits(stream, { truncateBefore }, signal && { signal });
  }

  /** Nothing if the records of the snapshot make no state, although they are those that were written. */
  private async restored(
    snapshot: CompleteSnapshot,
    stateCount: number,
  ): Promise<NewestSnapshot | undefined> {
    const { revision, chainHash, contents } = snapshot;
    const restoring = new Restoring(stateCount);
    const reader = new ContentReader();
    try {
      for (const content of contents) {
        for (const record of reader.recordsIn(content)) restoring.add(record);
        await this.options.runtime.turn();
      }
      const states = restoring.finish();
      for (const state of states) {
        invariant(state.revision === revision, `its state is at ${state.revision} and not at ${revision}`);
      }
      return { states, revision, hash: chainHash };
    } catch (error) {
      // Whatever is wrong with it, be it not even text: the log has all that it says.
      this.skip(snapshot, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  private skip({ snapshotId }: CompleteSnapshot, reason: string): void {
    this.logSkipped({ kind: 'skipped', snapshotId, reason, isUnfinished: false });
  }

  private logSkipped({ snapshotId = 'without an id', reason, isUnfinished }: SkippedSnapshot): void {
    const message = `snapshot ${snapshotId} is skipped: ${reason}`;
    this.options.log({ level: isUnfinished ? 'info' : 'warn', message });
  }
}
