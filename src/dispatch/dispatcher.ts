import type { Revision } from '../core/ids.js';
import type { Event } from '../core/tracker/event.js';
import type { NodeSaidHello } from '../core/tracker/fact.js';
import type { TrackerState } from '../core/tracker/state.js';
import { ordersAfterHello, ordersFor } from './orders.js';
import type { NodeTransport } from './order.js';

/** What dispatch needs of the tracker. */
interface Source {
  /** Of what is durable. */
  readonly state: TrackerState;
  /** Of what is durable and what may come to be. */
  readonly latest: TrackerState;
  folded(): Promise<void>;
  /** How long ago it was last proven to lead, in milliseconds. */
  readonly proofAgeMs: number;
  onDurable(listener: (events: readonly Event[], firstRevision: Revision) => void): () => void;
  onProven(listener: () => void): () => void;
}

interface DispatcherOptions {
  readonly tracker: Source;
  readonly transport: NodeTransport;
  /** A leader whose proof is older sends no orders (P3), in milliseconds. @default 5_000 */
  readonly leadershipProofMs?: number;
}

/**
 * Turns what became durable into orders, each event once. What could not be ordered for want of a fresh proof is ordered with the
 * next; what a node did not get, its next hello makes up for.
 */
export class Dispatcher {
  private readonly stopListening: readonly (() => void)[];
  /** Durable, and not ordered yet. */
  private waiting: Event[] = [];

  constructor(private readonly options: DispatcherOptions) {
    const { tracker } = options;
    this.stopListening = [
      tracker.onDurable((events) => {
        this.waiting.push(...events);
        this.dispatch();
      }),
      tracker.onProven(() => this.dispatch()),
    ];
  }

  /** To be called once the hello was answered. What is ordered twice for that is answered with its state (P14). */
  async reconcile(hello: NodeSaidHello): Promise<void> {
    const { tracker, transport } = this.options;
    await tracker.folded();
    if (!this.mayOrder) return;
    for (const { nodeId, order } of ordersAfterHello(tracker.state, hello)) transport.send(nodeId, order);
  }

  stop(): void {
    for (const stop of this.stopListening) stop();
  }

  private get mayOrder(): boolean {
    return this.options.tracker.proofAgeMs <= (this.options.leadershipProofMs ?? 5_000);
  }

  private dispatch(): void {
    if (this.waiting.length === 0 || !this.mayOrder) return;
    const { tracker, transport } = this.options;
    const events = this.waiting;
    this.waiting = [];
    for (const event of events) {
      for (const { nodeId, order } of ordersFor(tracker.latest, event)) transport.send(nodeId, order);
    }
  }
}
