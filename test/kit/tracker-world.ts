import { randomUUID } from 'node:crypto';
import { Tracker } from '../../src/aggregate/tracker.js';
import type { TrackerOptions } from '../../src/aggregate/tracker-options.js';
import type { QuarantinedInput } from '../../src/aggregate/quarantine.js';
import type { ServerId } from '../../src/core/ids.js';
import type { Event } from '../../src/core/tracker/event.js';
import { evolve } from '../../src/core/tracker/evolve.js';
import { defaultSettings } from '../../src/core/tracker/settings.js';
import { TrackerState } from '../../src/core/tracker/state.js';
import { decodeEvent } from '../../src/event-store/event-codec.js';
import type { NewEvent, RecordedEvent } from '../../src/event-store/event-store.js';
import type { LogEntry } from '../../src/event-store/log.js';
import { EngineDriver } from './engine-driver.js';
import { HeldStore } from './held-store.js';
import { InMemoryArchive } from './in-memory-archive.js';
import { InProcessEventStore } from './in-process-event-store.js';
import { makeTemporaryDirectory } from './temporary-directory.js';
import { VirtualRuntime } from './virtual-runtime.js';

const stream = 'tracker-0';

/** A store on a real log, and the trackers that a test starts on it, each with clocks of its own. */
export class TrackerWorld {
  readonly logged: LogEntry[] = [];
  readonly quarantined: QuarantinedInput[] = [];
  private serverCount = 0;
  private readonly stores: InProcessEventStore[] = [];

  private constructor(
    private readonly driver: EngineDriver,
    private readonly remove: () => Promise<void>,
  ) {}

  static async make(): Promise<TrackerWorld> {
    const directory = await makeTemporaryDirectory();
    return new TrackerWorld(EngineDriver.open(directory.path), async () => directory.remove());
  }

  /** Runs `test` in a world of its own. */
  static async with(test: (world: TrackerWorld) => Promise<void>): Promise<void> {
    const world = await TrackerWorld.make();
    try {
      await test(world);
    } finally {
      await world.end();
    }
  }

  /** A server process: its store, its clocks and its tracker, which leads. */
  async lead(options: Partial<TrackerOptions> = {}): Promise<Server> {
    const server = this.server(options);
    await server.lead();
    return server;
  }

  server(options: Partial<TrackerOptions> = {}): Server {
    this.serverCount += 1;
    const runtime = new VirtualRuntime(this.serverCount * 1_000_000);
    const inProcess = new InProcessEventStore(this.driver.engine);
    this.stores.push(inProcess);
    return new Server(new HeldStore(inProcess), runtime, {
      serverId: `server-${this.serverCount}` as ServerId,
      settings: defaultSettings,
      quarantine: { keep: async (input) => void this.quarantined.push(input) },
      log: (entry) => void this.logged.push(entry),
      ...options,
    });
  }

  async recorded(of = stream): Promise<RecordedEvent[]> {
    const store = new InProcessEventStore(this.driver.engine);
    const events: RecordedEvent[] = [];
    for await (const page of store.readStream(of)) events.push(...page);
    return events;
  }

  /** What stands in the log. */
  async events(): Promise<Event[]> {
    return (await this.recorded()).map((recorded) => decodeEvent(recorded).event);
  }

  /** The fold of the whole log, from its beginning. */
  async folded(): Promise<TrackerState> {
    const state = new TrackerState();
    for (const event of await this.events()) evolve(state, event);
    return state;
  }

  /** Writes behind everybody's back. */
  async append(event: NewEvent): Promise<void> {
    const store = new InProcessEventStore(this.driver.engine);
    await store.append(stream, [event], { expectedRevision: 'any' });
  }

  newId(): string {
    return randomUUID();
  }

  async types(): Promise<string[]> {
    return (await this.events()).map(({ type }) => type);
  }

  async end(): Promise<void> {
    for (const store of this.stores) await store.close();
    await this.driver.stop();
    await this.remove();
  }
}

class Server {
  readonly archive = new InMemoryArchive();
  private started: Tracker | undefined;

  constructor(
    readonly store: HeldStore,
    readonly runtime: VirtualRuntime,
    private readonly options: Omit<TrackerOptions, 'store' | 'runtime' | 'archive'>,
  ) {}

  get tracker(): Tracker {
    if (!this.started) throw new Error('the server does not lead');
    return this.started;
  }

  async lead(): Promise<Tracker> {
    const { store, runtime, archive, options } = this;
    this.started = await Tracker.lead({ archive, ...options, store, runtime });
    this.started.onDurable((events, firstRevision) => archive.take(events, firstRevision));
    return this.started;
  }
}

export type { Server };
