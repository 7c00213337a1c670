import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Lines for a reader that may be slow, or go away: a pipe into `head` that has seen enough ends the command as if all had been
 * said.
 */
export class Lines {
  private readonly gone = new AbortController();

  constructor(private readonly output: Writable) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      this.gone.abort();
    });
  }

  /** Aborts once nobody reads any more. */
  get readerGone(): AbortSignal {
    return this.gone.signal;
  }

  async write(line: string): Promise<void> {
    const { signal } = this.gone;
    if (signal.aborted || this.output.write(`${line}\n`)) return;
    await once(this.output, 'drain', { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** What others wrote must not move the cursor or colour the terminal of who reads it. */
export const printable = (text: string, charactersMax = 80): string => {
  const short = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  return short.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
};

/** An instant as people and programs read it. Numbers that no calendar has are shown as they are. */
export const isoTime = (instant: number): string =>
  Math.abs(instant) <= 8.64e15 ? new Date(instant).toISOString() : String(instant);
