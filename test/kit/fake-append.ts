import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { FakeLog, NewFakeEvent } from './fake-log.js';
import {
  batchResponse,
  wrongVersionStatus,
  type FakeEvent,
  type StatusMessage,
} from './fake-store-messages.js';

export type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** One append as it arrived. A test decides whether it is written and what is answered, which need not agree. */
export class FakeAppend {
  readonly stream: string;
  readonly expected: number | 'any';
  readonly correlationId: string;
  readonly events: readonly NewFakeEvent[];

  constructor(
    readonly call: BatchCall,
    request: BatchAppendReq,
    private readonly log: FakeLog,
    private readonly onWritten: (events: readonly FakeEvent[]) => void,
  ) {
    const options = request.getOptions();
    this.correlationId = request.getCorrelationId()?.getString() ?? '';
    this.stream = Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
    this.expected = options?.hasAny()
      ? 'any'
      : options?.hasNoStream()
        ? -1
        : Number(options?.getStreamPosition());
    this.events = request.getProposedMessagesList().map((message) => ({
      id: message.getId()?.getString() ?? '',
      type: message.getMetadataMap().get('type') ?? '',
      contentType: message.getMetadataMap().get('content-type') ?? '',
      data: message.getData_asU8(),
      metadata: message.getCustomMetadata_asU8(),
    }));
  }

  get ids(): readonly string[] {
    return this.events.map(({ id }) => id);
  }

  /** Writes it if the expected revision allows, and answers what the store would. */
  accept(): void {
    const outcome = this.write();
    this.answer('actual' in outcome ? wrongVersionStatus(outcome.actual) : outcome);
  }

  /** Writes it without an answer. */
  write(): ReturnType<FakeLog['append']> {
    const outcome = this.log.append(this.stream, this.expected, this.events);
    if ('written' in outcome) this.onWritten(outcome.written);
    return outcome;
  }

  answer(answer: { readonly revision: number; readonly position: number } | StatusMessage): void {
    this.call.write(batchResponse(this.correlationId, this.stream, answer));
  }
}
