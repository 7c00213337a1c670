import { randomUUID } from 'node:crypto';
import { AppendQueue } from './append-queue.js';
import { checkAppend, type AppendCheck } from './append-check.js';
import { InvalidRequest, LogFailed } from './errors.js';
import { everyEvent, type EventPredicate } from './event-filter.js';
import type { Direction, EventLog } from './event-log.js';
import { limits } from './limits.js';
import { LogPulse } from './log-pulse.js';
import { RecentIds } from './recent-ids.js';
import {
  isMetastream,
  isSoftDeleted,
  metadataEventType,
  metastreamOf,
  originalOf,
  streamDeletedEventType,
  softDeleteMetadata,
  withTruncation,
} from './stream-metadata.js';
import {
  firstVisibleRevision,
  isVisible,
  metadataOf,
  StreamTable,
  type StreamEntry,
} from './stream-table.js';
import {
  bytesOf,
  emptyBytes,
  tombstoneRevision,
  type ExpectedRevision,
  type ProposedEvent,
  type StoredEvent,
} from './stored-event.js';

export interface AppendRequest {
  readonly stream: string;
  readonly expectedRevision: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
}

export interface DeleteRequest {
  readonly stream: string;
  readonly expectedRevision: ExpectedRevision;
}

export type AppendOutcome =
  /** `position` is that of the last event; absent if there was nothing to write. */
  | { readonly kind: 'appended'; readonly lastRevision: number; readonly position: number | undefined }
  | { readonly kind: 'conflict'; readonly actualRevision: number | undefined }
  | { readonly kind: 'tombstoned' }
  | { readonly kind: 'too-large'; readonly bytesMax: number };

export interface StreamReadRequest {
  readonly stream: string;
  readonly direction: Direction;
  readonly from: number | 'start' | 'end';
  readonly maxCount: number;
}

/** A page of a stream. `next` is where the following one begins, absent once the reader has everything. */
export type StreamPage =
  | { readonly kind: 'events'; readonly events: readonly StoredEvent[]; readonly next: number | undefined }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'tombstoned' };

export interface AllReadRequest {
  readonly direction: Direction;
  /** Forwards includes the event at this position, backwards does not. */
  readonly from: number | 'start' | 'end';
  readonly maxCount: number;
  /** Which events are wanted. @default all */
  readonly matches?: EventPredicate;
  /** How many events this page looks at, whether they are wanted or not. @default `limits.pageEventsMax` */
  readonly maxConsidered?: number;
}

/** A page of the log. It may be empty and yet not the last one, if nothing that was looked at is wanted. */
export interface AllPage {
  readonly events: readonly StoredEvent[];
  readonly next: number | undefined;
  /** Position of the last event that was looked at. */
  readonly considered: number | undefined;
}

export interface EngineOptions {
  /** The wall clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Bytes of one append: data, metadata and type names of its events. @default 1 MiB */
  readonly appendBytesMax?: number;
  /** Called once when the log can no longer be trusted (P29); must end the process without another sync. */
  readonly onLogFailure: (error: Error) => void;
}

/**
 * What the store means: expected revisions, repetition, truncation, deletion, and the order of the whole log.
 *
 * Appends of one turn of the event loop share one transaction and so one fsync (group commit); each is told its own
 * outcome after that. Reads are synchronous pages of what is on disk.
 */
export class Engine {
  /** Wakes those who wait for new events. */
  readonly pulse = new LogPulse();
  private readonly streams: StreamTable;
  private readonly recentIds = new RecentIds(limits.recentIdsMax);
  private readonly queue: AppendQueue;
  /** Bytes of one append: data, metadata and type names of its events. */
  readonly appendBytesMax: number;
  /** Streams whose entries the open transaction has changed. */
  private readonly touched = new Set<string>();
  private writtenIds: string[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly options: EngineOptions,
  ) {
    this.appendBytesMax = options.appendBytesMax ?? limits.appendBytesMax;
    this.streams = new StreamTable(log);
    for (const { id, stream, revision } of log.newestIds(limits.recentIdsMax)) {
      this.recentIds.add(id, stream, revision);
    }
    this.queue = new AppendQueue({
      transaction: (bytes, work) => this.transaction(bytes, work),
      onLogFailure: options.onLogFailure,
    });
    if (log.lastPosition < 0) this.writeFirstEvent();
  }

  get lastPosition(): number {
    return this.log.lastPosition;
  }

  /** Bytes of appends that wait for their transaction. */
  get queuedBytes(): number {
    return this.queue.queuedBytes;
  }

  /**
   * Appends all events or none. Resolves once they are on disk.
   *
   * @throws InvalidRequest if a name or an id is no such thing
   * @throws WriteRefused if the disk took nothing of it
   */
  async append(request: AppendRequest): Promise<AppendOutcome> {
    const bytes = request.events.reduce((sum, event) => sum + bytesOf(event), 0);
    if (bytes > this.appendBytesMax) return { kind: 'too-large', bytesMax: this.appendBytesMax };
    validate(request);
    return this.queue.add(bytes, request.events.length, () => this.write(request));
  }

  /** Hides what the stream holds; it may be begun again, and goes on numbering. */
  async delete(request: DeleteRequest): Promise<AppendOutcome> {
    validateStreamName(request.stream);
    return this.queue.add(limits.streamNameBytesMax, 1, () => this.writeSoftDelete(request));
  }

  /** Ends the stream for good: nobody reads it or appends to it again. */
  async tombstone(request: DeleteRequest): Promise<AppendOutcome> {
    validateStreamName(request.stream);
    return this.queue.add(limits.streamNameBytesMax, 1, () => this.writeTombstone(request));
  }

  readStream({ stream, direction, from, maxCount }: StreamReadRequest): StreamPage {
    const entry = this.streams.get(stream);
    if (this.hasEnded(entry)) return { kind: 'tombstoned' };
    if (!isVisible(entry) || entry.id === undefined) return { kind: 'not-found' };
    const first = firstVisibleRevision(entry);
    const start = startIn(entry, direction, from, first);
    const count = Math.min(maxCount, limits.pageEventsMax);
    const page = this.log.readStream(entry.id, stream, direction, start, count);
    const next = nextInStream(page, direction, first, entry.lastRevision ?? -1);
    return { kind: 'events', events: this.visible(page, entry, first), next };
  }

  readAll(request: AllReadRequest): AllPage {
    const { direction, from, maxCount, matches = everyEvent, maxConsidered = limits.pageEventsMax } = request;
    const start = startInAll(direction, from, this.lastPosition);
    const count = matches === everyEvent ? Math.min(maxCount, maxConsidered) : maxConsidered;
    const page = this.log.readAll(direction, start, count);
    const matching = matches === everyEvent ? page : page.filter(matches);
    const events = matching.slice(0, maxCount);
    const last = (events.length < matching.length ? events.at(-1) : page.at(-1))?.position;
    const next = nextInAll(last, direction, this.lastPosition);
    return { events, next, considered: last };
  }

  /** Undefined if the stream has no events, the tombstone aside. */
  lastRevisionOf(stream: string): number | undefined {
    return this.streams.get(stream).lastRevision;
  }

  isTombstoned(stream: string): boolean {
    return this.streams.get(stream).isTombstoned;
  }

  accessListOf(stream: string) {
    return this.streams.get(isMetastream(stream) ? originalOf(stream) : stream).metadata.acl;
  }

  /**
   * Erases what `$maxCount`, a truncation or a delete has hidden, so that a stream of heartbeats does not fill the disk.
   * The last event of a stream always stays, since it tells where numbering goes on. Other appends get their turn between
   * the steps. What `$maxAge` has hidden stays: it may be shown again when the limit is raised.
   */
  async scavenge(): Promise<void> {
    for (const metastream of this.log.metastreams()) {
      await this.eraseHidden(metastream);
      await this.eraseHidden(originalOf(metastream));
    }
  }

  /** Ends what waits for new events, and closes the file once the appends under way are through. */
  async close(): Promise<void> {
    await this.queue.close();
    this.pulse.close();
    try {
      this.log.close();
    } catch (error) {
      // Leaving as if nothing had happened would let the driver close the file, and that syncs once more.
      if (error instanceof LogFailed) this.options.onLogFailure(error);
      throw error;
    }
  }

  private async eraseHidden(stream: string): Promise<void> {
    const step = async () => this.queue.add(0, limits.scavengeEventsMax, () => this.eraseStep(stream));
    while ((await step()) > 0);
  }

  private eraseStep(stream: string): number {
    const entry = this.streams.get(stream);
    if (entry.id === undefined || entry.lastRevision === undefined) return 0;
    const before = entry.isTombstoned ? Infinity : Math.min(firstVisibleRevision(entry), entry.lastRevision);
    return this.log.erase(entry.id, Math.min(before, Number.MAX_SAFE_INTEGER), limits.scavengeEventsMax);
  }

  private transaction<T>(bytes: number, work: () => T): T {
    this.touched.clear();
    this.writtenIds = [];
    try {
      const result = this.log.transaction(bytes, work);
      this.pulse.beat();
      this.log.checkpointIfDue();
      return result;
    } catch (error) {
      for (const name of this.touched) this.streams.forget(name);
      for (const id of this.writtenIds) this.recentIds.remove(id);
      throw error;
    }
  }

  private write({ stream, expectedRevision, events }: AppendRequest): AppendOutcome {
    const entry = this.streams.get(stream);
    const ids = events.map(({ id }) => id);
    const check = this.check(entry, expectedRevision, ids);
    switch (check.kind) {
      case 'tombstoned':
        return check;
      case 'conflict':
        return { kind: 'conflict', actualRevision: entry.lastRevision };
      case 'repeated':
        return this.repeated(entry, check.lastRevision);
      case 'write':
        return this.writeChecked(entry, events);
    }
  }

  private writeChecked(entry: StreamEntry, events: readonly ProposedEvent[]): AppendOutcome {
    const { name } = entry;
    const begun = isMetastream(name) ? this.streams.get(originalOf(name)) : entry;
    const beginsAgain = events.length > 0 && isSoftDeleted(begun.metadata);
    if (beginsAgain && begun === entry) this.beginAgain(begun);
    const outcome = this.insert(entry, events);
    // Metadata that somebody sets must not bring back what a delete has hidden.
    if (beginsAgain && begun !== entry) this.beginAgain(begun);
    return outcome;
  }

  private check(entry: StreamEntry, expected: ExpectedRevision, ids: readonly string[]): AppendCheck {
    const situation = {
      lastRevision: entry.lastRevision,
      isTombstoned: this.hasEnded(entry),
      isSoftDeleted: isSoftDeleted(entry.metadata),
      hasMetadata: entry.metadataBytes.byteLength > 0,
    };
    return checkAppend(expected, ids, situation, {
      idsFrom: (revision, count) =>
        entry.id === undefined ? [] : this.log.idsFrom(entry.id, revision, count),
      recentRevisionOf: (id) =>
        entry.id === undefined ? undefined : this.recentIds.revisionOf(id, entry.id),
    });
  }

  /** A metadata stream ends with the stream it belongs to. */
  private hasEnded({ name, isTombstoned }: StreamEntry): boolean {
    return isTombstoned || (isMetastream(name) && this.streams.get(originalOf(name)).isTombstoned);
  }

  private repeated(entry: StreamEntry, lastRevision: number): AppendOutcome {
    const position = entry.id === undefined ? undefined : this.log.positionAt(entry.id, lastRevision);
    return { kind: 'appended', lastRevision, position };
  }

  private insert(entry: StreamEntry, events: readonly ProposedEvent[]): AppendOutcome {
    if (events.length === 0)
      return { kind: 'appended', lastRevision: entry.lastRevision ?? -1, position: undefined };
    this.touched.add(entry.name);
    const stream = (entry.id ??= this.log.addStream(entry.name));
    const createdAt = this.options.now();
    let revision = entry.lastRevision ?? -1;
    let position = -1;
    for (const event of events) {
      revision += 1;
      position = this.log.insert({ id: stream, name: entry.name }, revision, event, createdAt);
      this.recentIds.add(event.id, stream, revision);
      this.writtenIds.push(event.id);
    }
    entry.lastRevision = revision;
    if (isMetastream(entry.name))
      this.applyMetadata(originalOf(entry.name), events.at(-1)?.data ?? emptyBytes);
    return { kind: 'appended', lastRevision: revision, position };
  }

  private writeSoftDelete({ stream, expectedRevision }: DeleteRequest): AppendOutcome {
    const entry = this.streams.get(stream);
    const refusal = this.refusalOfDelete(entry, expectedRevision);
    if (refusal) return refusal;
    // What is not there cannot be deleted, whatever the caller expects of it.
    if (!this.exists(stream)) return { kind: 'conflict', actualRevision: undefined };
    return this.writeMetadata(stream, softDeleteMetadata);
  }

  private writeTombstone({ stream, expectedRevision }: DeleteRequest): AppendOutcome {
    const entry = this.streams.get(stream);
    const refusal = this.refusalOfDelete(entry, expectedRevision);
    if (refusal) return refusal;
    this.touched.add(stream);
    const id = (entry.id ??= this.log.addStream(stream));
    const position = this.log.insert(
      { id, name: stream },
      tombstoneRevision,
      systemEvent(streamDeletedEventType),
      this.options.now(),
    );
    entry.isTombstoned = true;
    return { kind: 'appended', lastRevision: tombstoneRevision, position };
  }

  private refusalOfDelete(entry: StreamEntry, expected: ExpectedRevision): AppendOutcome | undefined {
    if (entry.isTombstoned) return { kind: 'tombstoned' };
    const isExpectedToExist = expected === 'stream-exists';
    if (isExpectedToExist && isSoftDeleted(entry.metadata)) return { kind: 'tombstoned' };
    const isAsExpected =
      expected === 'any' || (isExpectedToExist ? this.exists(entry.name) : matches(entry, expected));
    return isAsExpected ? undefined : { kind: 'conflict', actualRevision: entry.lastRevision };
  }

  /** Metadata alone makes a stream as well. */
  private exists(stream: string): boolean {
    return [stream, metastreamOf(stream)].some((name) => this.lastRevisionOf(name) !== undefined);
  }

  private beginAgain(entry: StreamEntry): void {
    this.writeMetadata(entry.name, withTruncation(entry.metadataBytes, (entry.lastRevision ?? -1) + 1));
  }

  private writeMetadata(stream: string, data: Uint8Array): AppendOutcome {
    return this.insert(this.streams.get(metastreamOf(stream)), [systemEvent(metadataEventType, data)]);
  }

  private applyMetadata(stream: string, bytes: Uint8Array): void {
    this.touched.add(stream);
    const entry = this.streams.get(stream);
    entry.metadataBytes = bytes;
    entry.metadata = metadataOf(stream, bytes);
  }

  private visible(page: readonly StoredEvent[], entry: StreamEntry, first: number): readonly StoredEvent[] {
    const { maxAge } = entry.metadata;
    const oldestAt = maxAge === undefined ? -Infinity : this.options.now() - maxAge * 1_000;
    const isHidden = ({ revision, createdAt }: StoredEvent) => revision < first || createdAt < oldestAt;
    return page.some(isHidden) ? page.filter((event) => !isHidden(event)) : page;
  }

  /** As in EventStoreDB a log is never empty, so every reader of it has a position to begin at. */
  private writeFirstEvent(): void {
    const event = systemEvent('$store-created', Buffer.from(JSON.stringify({ id: randomUUID() })));
    this.transaction(0, () => this.insert(this.streams.get('$store'), [event]));
  }
}

function startIn(
  entry: StreamEntry,
  direction: Direction,
  from: StreamReadRequest['from'],
  first: number,
): number {
  const last = entry.lastRevision ?? -1;
  if (direction === 'forwards')
    return Math.max(first, from === 'start' ? 0 : from === 'end' ? last + 1 : from);
  return from === 'start' ? 0 : from === 'end' ? last : Math.min(from, last);
}

function nextInStream(
  page: readonly StoredEvent[],
  direction: Direction,
  first: number,
  last: number,
): number | undefined {
  const revision = page.at(-1)?.revision;
  if (revision === undefined) return undefined;
  if (direction === 'forwards') return revision < last ? revision + 1 : undefined;
  return revision > first ? revision - 1 : undefined;
}

function startInAll(direction: Direction, from: AllReadRequest['from'], last: number): number {
  if (direction === 'forwards') return from === 'start' ? 0 : from === 'end' ? last + 1 : from;
  return from === 'start' ? -1 : from === 'end' ? last : from - 1;
}

function nextInAll(considered: number | undefined, direction: Direction, last: number): number | undefined {
  if (considered === undefined) return undefined;
  if (direction === 'forwards') return considered < last ? considered + 1 : undefined;
  return considered > 0 ? considered : undefined;
}

const matches = (entry: StreamEntry, expected: number | 'no-stream'): boolean =>
  expected === 'no-stream' ? entry.lastRevision === undefined : entry.lastRevision === expected;

const systemEvent = (type: string, data: Uint8Array = emptyBytes): ProposedEvent => ({
  id: randomUUID(),
  type,
  isJson: data.byteLength > 0,
  data,
  metadata: emptyBytes,
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function validate({ stream, events }: AppendRequest): void {
  validateStreamName(stream);
  if (isMetastream(stream) && isMetastream(originalOf(stream))) {
    throw new InvalidRequest(`stream ${stream}: a metadata stream has no metadata of its own`);
  }
  for (const event of events) {
    if (!uuid.test(event.id)) throw new InvalidRequest(`event id ${JSON.stringify(event.id)} is not a UUID`);
    validateName('event type', event.type, limits.eventTypeBytesMax);
  }
}

function validateStreamName(stream: string): void {
  validateName('stream name', stream, limits.streamNameBytesMax);
}

function validateName(field: string, name: string, bytesMax: number): void {
  if (name === '') throw new InvalidRequest(`${field} is empty`);
  if (Buffer.byteLength(name) > bytesMax)
    throw new InvalidRequest(`${field} has more than ${bytesMax} bytes`);
  // SQLite's drivers take it for the end of the text.
  if (name.includes('\0')) throw new InvalidRequest(`${field} has a NUL character`);
}
