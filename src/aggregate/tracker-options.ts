import type { ServerId } from '../core/ids.js';
import type { Settings } from '../core/tracker/settings.js';
import type { EventStore } from '../event-store/event-store.js';
import type { Log } from '../event-store/log.js';
import type { Runtime } from '../runtime/runtime.js';
import type { JobArchive } from './job-archive.js';
import type { Quarantine } from './quarantine.js';

export interface TrackerOptions {
  readonly store: EventStore;
  readonly serverId: ServerId;
  /** Written into TermStarted. */
  readonly settings: Settings;
  readonly archive: JobArchive;
  readonly quarantine: Quarantine;
  readonly runtime: Runtime;
  readonly log: Log;
  /** Which part of the jobs this tracker has. @default '0', the only one there is */
  readonly partition?: string;
  /** How long a command waits for its answer, unless it says otherwise, in milliseconds. @default 10_000 */
  readonly commandTimeoutMs?: number;
  /** How often the clock is an input, and an idle leader proves itself, in milliseconds. @default 1_000 */
  readonly tickMs?: number;
  readonly snapshots?: SnapshotTimes;
}

/** A snapshot is taken once both bounds are passed. */
export interface SnapshotTimes {
  /** Events since the one before. @default 10,000, or a tenth of the live jobs if that is more */
  readonly afterEvents?: number;
  /** In milliseconds. @default 30_000 */
  readonly apartMs?: number;
}
