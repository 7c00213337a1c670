import { createHash } from 'node:crypto';
import { recover, type Recovered } from '../../src/aggregate/recovery.js';
import { Snapshots, type WriteOutcome } from '../../src/aggregate/snapshots.js';
import type { ServerId } from '../../src/core/ids.js';
import type { Event } from '../../src/core/tracker/event.js';
import { evolve } from '../../src/core/tracker/evolve.js';
import { defaultSettings } from '../../src/core/tracker/settings.js';
import { TrackerState } from '../../src/core/tracker/state.js';
import { encodeEvent } from '../../src/event-store/event-codec.js';
import type { RecordedEvent } from '../../src/event-store/event-store.js';
import { firstPreviousHash } from '../../src/event-store/hash-chain.js';
import type { LogEntry } from '../../src/event-store/log.js';
import { completed } from './completed-event.js';
import { CoreDriver } from './core-driver.js';
import { EngineDriver } from './engine-driver.js';
import { jobAccepted, type EventPattern } from './event-patterns.js';
import { HeldStore } from './held-store.js';
import { InMemoryArchive } from './in-memory-archive.js';
import { InProcessEventStore } from './in-process-event-store.js';
import { withTemporaryDirectory } from './temporary-directory.js';
import { VirtualRuntime } from './virtual-runtime.js';

const logStream = 'tracker-0';
export const snapshotStream = 'trackersnapshot-0';

/** Of 200 KB each, if they are full. */
const chunksPerAppend = 4;

/** So long that a few of them make a snapshot of several chunks, and such that nothing makes it shorter. */
const longKind = (id: string): string =>
  createHash('shake256', { outputLength: 75_000 }).update(id).digest('base64');

/** A log that is written by hand, and snapshots of it wherever a test wants them: there is no tracker. */
export class SnapshotWorld {
  readonly logged: LogEntry[] = [];
  readonly runtime = new VirtualRuntime();
  private readonly core = new CoreDriver();
  private readonly hashes: string[] = [];

  private constructor(readonly store: HeldStore) {}

  /** The log has a cluster and a term, at revision 1. */
  static async with(test: (world: SnapshotWorld) => Promise<void>): Promise<void> {
    await withTemporaryDirectory(async (path) => {
      const driver = EngineDriver.open(path);
      const inProcess = new InProcessEventStore(driver.engine);
      try {
        const world = new SnapshotWorld(new HeldStore(inProcess));
        await world.write(world.core.events);
        await test(world);
      } finally {
        await inProcess.close();
        await driver.stop();
      }
    });
  }

  /** The revision of the last event. */
  get revision(): number {
    return this.hashes.length - 1;
  }

  /** Jobs that wait. Each is an event. */
  async submit(...ids: readonly string[]): Promise<void> {
    await this.happen(ids.map((id) => jobAccepted(id)));
  }

  /** The same of jobs that take a hundred kilobytes of a snapshot each. */
  async submitLong(...ids: readonly string[]): Promise<void> {
    await this.happen(ids.map((id) => jobAccepted(id, { kind: longKind(id) })));
  }

  /** Another process, which knows nothing of what others wrote. */
  writer(): Snapshots {
    const { store, runtime } = this;
    return new Snapshots({
      store,
      stream: snapshotStream,
      runtime,
      log: (entry) => void this.logged.push(entry),
    });
  }

  /** Writes a snapshot of what the log says up to this revision. */
  async snapshotAt(revision: number, writer = this.writer()): Promise<WriteOutcome> {
    return writer.write({ state: this.foldTo(revision), hash: this.hashAt(revision) });
  }

  /** The fold of the log up to this revision, from its beginning. */
  foldTo(revision: number): TrackerState {
    const state = new TrackerState();
    for (const event of this.core.events.slice(0, revision + 1)) evolve(state, event);
    return state;
  }

  /** Of the chain of the log. */
  hashAt(revision: number): string {
    return this.hashes[revision] ?? '';
  }

  async chunks(): Promise<RecordedEvent[]> {
    const chunks: RecordedEvent[] = [];
    for await (const page of this.store.readStream(snapshotStream)) chunks.push(...page);
    return chunks;
  }

  /** What stands in the snapshots' stream is gone, and this is there instead. */
  async rewrite(change: (chunks: readonly RecordedEvent[]) => readonly RecordedEvent[]): Promise<void> {
    const before = await this.chunks();
    const events = change(before).map(({ type, data, metadata = null }) => {
      return { id: this.runtime.newId(), type, data, metadata };
    });
    for (let from = 0; from < events.length; from += chunksPerAppend) {
      const some = events.slice(from, from + chunksPerAppend);
      await this.store.append(snapshotStream, some, { expectedRevision: 'any' });
    }
    const last = before.at(-1)?.revision ?? -1;
    await this.store.setStreamLimits(snapshotStream, { truncateBefore: last + 1 });
  }

  async recover(): Promise<Recovered> {
    const { store, runtime } = this;
    return recover({
      store,
      runtime,
      log: (entry) => void this.logged.push(entry),
      serverId: 'server-1' as ServerId,
      settings: defaultSettings,
      archive: new InMemoryArchive(),
      quarantine: { keep: async () => undefined },
    });
  }

  private async happen(patterns: readonly EventPattern[]): Promise<void> {
    const { core } = this;
    const from = core.events.length;
    for (const pattern of patterns) core.fold(completed(core.state, pattern, core.now));
    await this.write(core.events.slice(from));
  }

  private async write(events: readonly Event[]): Promise<void> {
    const encoded = events.map((event) => {
      const previousHash = this.hashes.at(-1) ?? firstPreviousHash;
      const term = event.type === 'ClusterCreated' ? 0 : 1;
      const context = { id: this.runtime.newId(), previousHash, term, causationId: 'a test' };
      const { stored, hash } = encodeEvent(event, context);
      this.hashes.push(hash);
      return stored;
    });
    await this.store.append(logStream, encoded, { expectedRevision: 'any' });
  }
}
