import type { AppendLine } from './append-settlement.js';
import { backoffMs } from './backoff.js';
import type { Settings } from './client-options.js';
import type { Connection } from './connection.js';
import type { RecordedEvent } from './event-store.js';
import { pause } from './scope.js';
import {
  NoAnswer,
  type Acknowledgement,
  type PageRequest,
  type PreparedAppend,
  type Session,
} from './session.js';

interface Sending {
  readonly onSent: () => void;
  readonly isRepetition: boolean;
  readonly signal: AbortSignal;
}

/** Calls that find their way through as many sessions as it takes, until the signal ends them. */
export class StoreCalls {
  private readonly connection: Connection;
  private readonly settings: Settings;

  constructor(connection: Connection, settings: Settings) {
    this.connection = connection;
    this.settings = settings;
  }

  async readPage(request: PageRequest, signal: AbortSignal): Promise<readonly RecordedEvent[]> {
    for (let failureCount = 1; ; failureCount += 1) {
      try {
        return await this.connection.callInLine(signal, (session, limited) =>
          session.readPage(request, limited),
        );
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        // A session that ended paces the next one; an unclear answer on a good one does not.
        if (!error.endsSession) await this.pause(failureCount, signal);
      }
    }
  }

  async readLast(stream: string, signal: AbortSignal): Promise<RecordedEvent | undefined> {
    const last = { direction: 'backwards', from: 'end', maxCount: 1, requiresLeader: true } as const;
    const [event] = await this.readPage({ stream, ...last }, signal);
    return event;
  }

  async pause(failureCount: number, signal: AbortSignal): Promise<void> {
    const { backoff, timing } = this.settings;
    await pause(timing, backoffMs(backoff, failureCount, timing.luck()), signal);
  }

  /** What settling one append needs, until the signal ends. */
  line(signal: AbortSignal): AppendLine {
    let isRepetition = false;
    return {
      send: (append, onSent) => {
        const sending = { onSent, isRepetition, signal };
        isRepetition = true;
        return this.send(append, sending);
      },
      standingFrom: (stream, from, maxCount) =>
        this.readPage({ stream, direction: 'forwards', from, maxCount, requiresLeader: true }, signal),
      lastRevision: async (stream) => (await this.readLast(stream, signal))?.revision ?? 'no-stream',
      pause: (repetitionCount) => this.pause(repetitionCount, signal),
    };
  }

  /** A session that ends before anything was sent on it leaves nothing in doubt. */
  private async send(
    append: PreparedAppend,
    { onSent, isRepetition, signal }: Sending,
  ): Promise<Acknowledgement> {
    for (let failureCount = 1; ; failureCount += 1) {
      const sent = { isNoted: false };
      const noteSent = (): void => {
        sent.isNoted = true;
        onSent();
      };
      const action = (session: Session, limited: AbortSignal): Promise<Acknowledgement> =>
        session.append(append, noteSent, limited);
      try {
        return await (isRepetition
          ? this.connection.callInLine(signal, action)
          : this.connection.call(signal, action));
      } catch (error) {
        if (!(error instanceof NoAnswer) || sent.isNoted) throw error;
        if (!error.endsSession) await this.pause(failureCount, signal);
      }
    }
  }
}
