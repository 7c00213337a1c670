import codes from '@eventstore/db-client/generated/code_pb.js';
import streamsMessages from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import statusMessages from '@eventstore/db-client/generated/status_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import type { Duplex } from 'node:stream';
import { refusalPrefix } from './client-errors.js';

type Answer = (response: BatchAppendResp) => void;

interface Reports {
  /** An append has been handed to the transport, and that takes more. */
  readonly onWritten: () => void;
  /** An answer came that nobody waits for. */
  readonly onLateAnswer: () => void;
  /** The stream is over; called before its appends fail. */
  readonly onEnd: (error: Error) => void;
}

/**
 * Stands between one batch append stream and the client's own listeners, because those share one map of promises among all
 * clients of the process: the end of one stream rejects the appends of all others, and an answer that comes after that throws
 * inside an event handler and takes the process down.
 *
 * So each stream's answers are let through only if they are awaited on this very stream, and when it ends its own appends, and
 * no others, are answered with a failure, which also takes them out of that map.
 */
export class BatchAppendGuard {
  private readonly awaited = new Set<string>();
  private readonly answer: Answer;
  private readonly reports: Reports;

  constructor(stream: Duplex, reports: Reports) {
    this.reports = reports;
    const clientErrorListeners = stream.listeners('error') as ((error: Error) => void)[];
    const listeners = stream.listeners('data') as Answer[];
    this.answer = (response) => {
      for (const listener of listeners) listener(response);
    };
    stream.removeAllListeners('data');
    // The client's listener would reject the appends of every client in the process.
    for (const listener of clientErrorListeners) stream.off('error', listener);
    stream.on('data', (response: BatchAppendResp) => {
      this.onAnswer(response);
    });
    stream.on('error', (error) => {
      this.failAll(error);
    });
    stream.on('end', () => {
      this.failAll(new Error('the store ended the stream of appends'));
    });
    this.watchWrites(stream);
  }

  private watchWrites(stream: Duplex): void {
    const write = stream.write.bind(stream) as (request: BatchAppendReq) => boolean;
    const watched = (request: BatchAppendReq): boolean => {
      const id = request.getCorrelationId()?.getString();
      if (id !== undefined) this.awaited.add(id);
      const takesMore = write(request);
      if (!request.getIsFinal()) return takesMore;
      if (takesMore) this.reports.onWritten();
      else stream.once('drain', this.reports.onWritten);
      return takesMore;
    };
    stream.write = watched as Duplex['write'];
  }

  private onAnswer(response: BatchAppendResp): void {
    const id = idOf(response);
    if (id === undefined || !this.awaited.delete(id)) {
      this.reports.onLateAnswer();
      return;
    }
    try {
      wordRefusal(response);
      this.answer(response);
    } catch {
      // The client could not read the answer. Its caller hears nothing, and the limit on silence ends the wait.
      this.reports.onLateAnswer();
    }
  }

  private failAll(error: Error): void {
    this.reports.onEnd(error);
    for (const id of this.awaited) {
      this.awaited.delete(id);
      this.answer(failureOf(id));
    }
  }
}

const idOf = (response: BatchAppendResp): string | undefined => {
  const id = response.getCorrelationId();
  if (!id?.hasStructured()) return id?.getString();
  const structured = id.getStructured();
  const bits = [structured?.getMostSignificantBits() ?? '0', structured?.getLeastSignificantBits() ?? '0'];
  const hex = bits.map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
};

/** The client leaves out the code of an answer that it cannot name, so one that says that the append is wrong says so in words. */
const wordRefusal = (response: BatchAppendResp): void => {
  const error = response.getError();
  if (error?.getCode() !== codes.Code.INVALID_ARGUMENT) return;
  const message = error.getMessage();
  if (!message.startsWith(refusalPrefix)) error.setMessage(`${refusalPrefix}${message}`);
};

/** An answer that says no more than that there is none. */
const failureOf = (id: string): BatchAppendResp => {
  const correlation = new sharedMessages.UUID();
  correlation.setString(id);
  const details = new any.Any();
  details.pack(new Uint8Array(), 'google.protobuf.Empty');
  const status = new statusMessages.Status();
  status.setMessage(connectionEnded);
  status.setDetails(details);
  const response = new streamsMessages.BatchAppendResp();
  response.setCorrelationId(correlation);
  response.setStreamIdentifier(new sharedMessages.StreamIdentifier());
  response.setError(status);
  return response;
};

const connectionEnded = 'the batch append stream ended';
