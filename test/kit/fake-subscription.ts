import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { FakeLog } from './fake-log.js';
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
  type FakeEvent,
} from './fake-store-messages.js';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

/** One subscription as the store sees it. */
export class FakeSubscription {
  /** A silent one is open and says nothing any more. */
  isSilent = false;

  constructor(
    readonly call: ReadCall,
    private readonly log: FakeLog,
  ) {}

  /** What it asked to begin after: a revision or a position; -1 for all. */
  get after(): number {
    const options = this.call.request.getOptions();
    const stream = options?.getStream();
    if (stream) return stream.hasRevision() ? Number(stream.getRevision()) : -1;
    const position = options?.getAll()?.getPosition();
    return position ? Number(position.getCommitPosition()) : -1;
  }

  get stream(): string | undefined {
    const name = this.call.request.getOptions()?.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
    return name === undefined ? undefined : Buffer.from(name).toString();
  }

  /** What a store does: confirms, sends the history, and says that this was all. */
  start(): void {
    this.confirm();
    this.sendHistory();
    this.sendCaughtUp();
  }

  confirm(): void {
    this.call.write(confirmationResponse());
  }

  sendHistory(): void {
    const { stream, after } = this;
    const events =
      stream === undefined
        ? this.log.all.filter(({ position }) => position > after)
        : this.log.stream(stream).slice(after + 1);
    for (const event of events) this.send(event);
  }

  sendCaughtUp(): void {
    this.call.write(caughtUpResponse());
  }

  sendCheckpoint(position: number): void {
    this.call.write(checkpointResponse(position));
  }

  /** False if the reader holds back. */
  send(event: FakeEvent): boolean {
    return this.isSilent || !this.isWanted(event) || this.call.write(eventResponse(event));
  }

  /** Ends with a status, as a store does that drops a subscription. */
  drop(status: Partial<StatusObject>): void {
    this.call.emit('error', status);
  }

  private isWanted(event: FakeEvent): boolean {
    const { stream } = this;
    if (stream !== undefined) return event.stream === stream;
    const prefixes = this.call.request.getOptions()?.getFilter()?.getStreamIdentifier()?.getPrefixList();
    return prefixes?.some((prefix) => event.stream.startsWith(prefix)) ?? true;
  }
}
