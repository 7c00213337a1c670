import type { ServerDuplexStream } from '@grpc/grpc-js';
import { AppendTooLarge, InvalidRequest } from '../errors.js';
import { limits } from '../limits.js';
import { emptyBytes } from '../stored-event.js';
import {
  batchDeadlineExceeded,
  batchErrorOf,
  batchErrorOfOutcome,
  callErrorOf,
  stopping,
} from './call-errors.js';
import type { MessageGroup } from './message-groups.js';
import { checkAccess, type StoreContext } from './store-context.js';
import {
  encodeBatchAppendResponse,
  leastBytesOf,
  proposedEventOf,
  textOf,
  type AppendOptions,
  type BatchAppendError,
  type BatchAppendMessage,
  type WireEvent,
} from './wire.js';

/** Responses reach gRPC encoded. */
type Call = ServerDuplexStream<BatchAppendMessage, MessageGroup>;

/** An append whose messages are still coming in. */
interface Unfinished {
  readonly options: AppendOptions;
  readonly events: WireEvent[];
  bytes: number;
  /** Of the messages that it came in. */
  heldBytes: number;
}

/** Appends of one client, any number at a time, told apart by their correlation ids. */
export const batchAppendCall =
  (context: StoreContext) =>
  (call: Call): void => {
    new BatchAppendCall(context, call).start();
  };

class BatchAppendCall {
  private readonly unfinished = new Map<string, Unfinished>();
  /** Encoded answers of this turn. */
  private answers: Uint8Array[] = [];
  private underWay = 0;
  private hasEnded = false;
  private isOver = false;

  constructor(
    private readonly context: StoreContext,
    private readonly call: Call,
  ) {}

  start(): void {
    this.call.on('data', (message: BatchAppendMessage) => this.receive(message));
    this.call.on('error', () => this.unfinished.clear());
    this.call.on('cancelled', () => this.unfinished.clear());
    this.call.on('end', () => {
      this.hasEnded = true;
      this.endWhenDone();
    });
    const endWhenDone = () => this.endWhenDone();
    this.context.stopping.addEventListener('abort', endWhenDone);
    this.call.on('close', () => this.context.stopping.removeEventListener('abort', endWhenDone));
  }

  private receive(message: BatchAppendMessage): void {
    // What comes after the store was asked to stop is not begun. Its caller hears of it by the end of the call.
    if (this.context.stopping.aborted) return;
    const key = Buffer.from(message.correlationId).toString('latin1');
    try {
      const append = this.collect(key, message);
      if (!append || !message.isFinal) return;
      this.unfinished.delete(key);
      this.append(message.correlationId, append);
    } catch (error) {
      const { stream } = this.unfinished.get(key)?.options ?? message.options ?? { stream: emptyBytes };
      this.unfinished.delete(key);
      this.answerError(message.correlationId, stream, batchErrorOf(error));
    }
  }

  /** Undefined for what follows an append that was already answered. */
  private collect(
    key: string,
    { options, events, isFinal, bytes }: BatchAppendMessage,
  ): Unfinished | undefined {
    if (options && !this.unfinished.has(key)) this.begin(key, options);
    const append = this.unfinished.get(key);
    if (!append) return undefined;
    for (const event of events) {
      append.bytes += leastBytesOf(event);
      append.events.push(event);
    }
    const { appendBytesMax } = this.context.engine;
    if (append.bytes > appendBytesMax) throw new AppendTooLarge(appendBytesMax);
    if (!isFinal) this.hold(append, bytes);
    return append;
  }

  /** @throws InvalidRequest if all that was begun and not finished would take too much memory */
  private hold(append: Unfinished, bytes: number): void {
    append.heldBytes += bytes;
    const held = [...this.unfinished.values()].reduce((sum, { heldBytes }) => sum + heldBytes, 0);
    if (held <= limits.unfinishedBytesMax) return;
    throw new InvalidRequest(
      `appends of more than ${limits.unfinishedBytesMax} bytes were begun and not finished`,
    );
  }

  private begin(key: string, options: AppendOptions): void {
    checkAccess(this.context, this.call.metadata, 'write', textOf(options.stream, 'stream name'));
    if (this.unfinished.size >= limits.unfinishedAppendsMax) {
      throw new InvalidRequest(
        `more than ${limits.unfinishedAppendsMax} appends were begun and not finished`,
      );
    }
    this.unfinished.set(key, { options, events: [], bytes: 0, heldBytes: 0 });
  }

  private append(correlationId: Uint8Array, { options, events }: Unfinished): void {
    const { deadlineAt, expectedRevision } = options;
    if (deadlineAt !== undefined && deadlineAt <= this.context.now()) {
      this.answerError(correlationId, options.stream, batchDeadlineExceeded());
      return;
    }
    const stream = textOf(options.stream, 'stream name');
    this.underWay += 1;
    this.slowDown();
    this.context.engine
      .append({ stream, expectedRevision, events: events.map(proposedEventOf) })
      .then(
        (outcome) =>
          outcome.kind === 'appended'
            ? { success: outcome }
            : { error: batchErrorOfOutcome(outcome, expectedRevision) },
        (error: unknown) => ({ error: batchErrorOf(error) }),
      )
      .then((result) => {
        this.underWay -= 1;
        this.send(encodeBatchAppendResponse(correlationId, options.stream, result));
      })
      .catch((error: unknown) =>
        this.call.destroy(Object.assign(new Error('append failed'), callErrorOf(error))),
      );
  }

  /** Leaves further messages in the socket while much is waiting for the disk. Answers resume it. */
  private slowDown(): void {
    const isBusy = this.context.engine.queuedBytes > limits.queuedBytesMax;
    if (isBusy || this.underWay >= limits.appendsUnderWayMax) this.call.pause();
  }

  private answerError(correlationId: Uint8Array, stream: Uint8Array, error: BatchAppendError): void {
    this.send(encodeBatchAppendResponse(correlationId, stream, { error }));
  }

  /** Appends that shared a transaction have their outcomes at once, so their answers leave together. */
  private send(response: Uint8Array): void {
    this.answers.push(response);
    if (this.answers.length === 1) queueMicrotask(() => this.flush());
  }

  private flush(): void {
    const group = this.answers;
    this.answers = [];
    if (!this.call.cancelled && !this.call.destroyed) this.call.write(group);
    this.call.resume();
    this.endWhenDone();
  }

  private endWhenDone(): void {
    if (this.isOver || this.underWay > 0 || this.answers.length > 0) return;
    this.isOver = this.hasEnded || this.context.stopping.aborted;
    if (this.hasEnded) this.call.end();
    else if (this.isOver) this.call.emit('error', stopping);
  }
}
