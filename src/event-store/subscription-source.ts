import type { Position, RecordedEvent, Revision } from './event-store.js';
import type { FeedRequest, Session } from './session.js';

/** What a look at the newest events says about a subscription that has been silent. */
export interface Probe {
  /** Events stand that the subscription should have brought. */
  readonly isBehind: boolean;
  /** Everything up to here was looked at and is none of the subscription's. */
  readonly checkpoint?: Position;
}

/** What is subscribed to, and how far it was handed over. */
export interface SubscriptionSource {
  /** Resumes after what was handed over last. */
  request(): FeedRequest;
  /** False if the event was handed over before: a store may repeat itself, a subscription does not. */
  advance(event: RecordedEvent): boolean;
  advanceTo(checkpoint: Position): boolean;
  /** Where to resume, for sources that resume by position. */
  readonly checkpoint: Position | undefined;
  probe(session: Session, signal: AbortSignal): Promise<Probe>;
}

export class StreamSource implements SubscriptionSource {
  readonly checkpoint = undefined;
  private readonly stream: string;
  private after: Revision | undefined;

  constructor(stream: string, after: Revision | undefined) {
    this.stream = stream;
    this.after = after;
  }

  request(): FeedRequest {
    return { kind: 'stream', stream: this.stream, after: this.after };
  }

  advance({ revision }: RecordedEvent): boolean {
    if (this.after !== undefined && revision <= this.after) return false;
    this.after = revision;
    return true;
  }

  advanceTo(): boolean {
    return false;
  }

  async probe(session: Session, signal: AbortSignal): Promise<Probe> {
    const last = { direction: 'backwards', from: 'end', maxCount: 1, requiresLeader: false } as const;
    const [head] = await session.readPage({ stream: this.stream, ...last }, signal);
    return { isBehind: head !== undefined && head.revision > (this.after ?? -1) };
  }
}

/** How many of the newest events a probe looks at; more than the store leaves out between two checkpoints. */
const probeCountMax = 256;

export class PrefixesSource implements SubscriptionSource {
  private readonly prefixes: readonly string[];
  private after: Position | undefined;

  constructor(prefixes: readonly string[], after: Position | undefined) {
    this.prefixes = prefixes;
    this.after = after;
  }

  get checkpoint(): Position | undefined {
    return this.after;
  }

  request(): FeedRequest {
    return { kind: 'prefixes', prefixes: this.prefixes, after: this.after };
  }

  advance({ position }: RecordedEvent): boolean {
    return this.advanceTo(position);
  }

  advanceTo(checkpoint: Position): boolean {
    if (this.after !== undefined && checkpoint <= this.after) return false;
    this.after = checkpoint;
    return true;
  }

  /**
   * The newest event of the store is mostly of another stream, and would look like a silent subscription for ever. So what is
   * newer than the last checkpoint is looked through; if that is too much, the subscription counts as behind, which is safe.
   */
  async probe(session: Session, signal: AbortSignal): Promise<Probe> {
    const newest = await session.readNewest(probeCountMax, signal);
    const after = this.after;
    const unseen = after === undefined ? newest : newest.filter(({ position }) => position > after);
    const isWhole = unseen.length < newest.length || newest.length < probeCountMax;
    if (!isWhole || unseen.some((event) => this.isWanted(event))) return { isBehind: true };
    const [head] = unseen;
    return head ? { isBehind: false, checkpoint: head.position } : { isBehind: false };
  }

  private isWanted({ stream }: RecordedEvent): boolean {
    return this.prefixes.some((prefix) => stream.startsWith(prefix));
  }
}
