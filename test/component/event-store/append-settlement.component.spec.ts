import { describe, expect, test } from '@jest/globals';
import { AppendSettlement, type AppendLine } from '../../../src/event-store/append-settlement.js';
import {
  AccessDenied,
  AppendConflict,
  AppendRefused,
  AppendTooLarge,
  StoreUnavailable,
  StreamTombstoned,
  WaitAborted,
  WaitExpired,
} from '../../../src/event-store/errors.js';
import type { ExpectedRevision, RecordedEvent } from '../../../src/event-store/event-store.js';
import { NoAnswer, type Acknowledgement, type PreparedAppend } from '../../../src/event-store/session.js';

const append: PreparedAppend = {
  stream: 'tracker-0',
  expected: 4,
  events: [
    { id: 'A', type: 'x', data: 1 },
    { id: 'B', type: 'x', data: 2 },
  ],
};

const appendAt = (expected: ExpectedRevision): PreparedAppend => ({ ...append, expected });

const standing = (revision: number, id: string): RecordedEvent => ({
  stream: 'tracker-0',
  revision,
  position: BigInt(revision * 10),
  id,
  type: 'x',
  data: null,
  createdAt: 0,
});

const acknowledged: Acknowledgement = { revision: 6, position: 60n };
const noAnswer = new NoAnswer('silent', { endsSession: true });
const expired = new WaitExpired('no outcome within 10 ms');
const conflictAt = (actual: number): AppendConflict =>
  new AppendConflict({ stream: 'tracker-0', expected: 4, actual });

type Script<T> = readonly (T | Error)[];

/** A line that answers by script: each sending and each look takes the next of its answers, the last one for ever. */
const scriptedLine = (sendings: Script<Acknowledgement>, looks: Script<readonly RecordedEvent[]> = [[]]) => {
  const sent: PreparedAppend[] = [];
  const asked: unknown[] = [];
  const pauses: number[] = [];
  const next = <T>(script: Script<T>, count: number): T => {
    const answer = script[Math.min(count, script.length) - 1];
    if (answer === undefined) throw new Error('nothing scripted');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const line: AppendLine = {
    send: async (append, onSent) => {
      sent.push(append);
      onSent();
      return next(sendings, sent.length);
    },
    standingFrom: async (...question) => {
      asked.push(question);
      return next(looks, asked.length);
    },
    lastRevision: async () => 9,
    pause: async (count) => {
      pauses.push(count);
    },
  };
  return { line, sent, asked, pauses };
};

const settle = async (line: AppendLine, of = append): Promise<unknown> =>
  new AppendSettlement(of, line).settle();

describe('P4: settling an append', () => {
  test('an acknowledged first sending is proof, and nothing is read', async () => {
    const { line, asked } = scriptedLine([acknowledged]);
    expect(await settle(line)).toEqual({ ...acknowledged, wasAcknowledgedAtFirstSending: true });
    expect(asked).toEqual([]);
  });

  test('own ids at its revisions: accepted, without a repetition and without proof', async () => {
    const { line, sent, asked } = scriptedLine([noAnswer], [[standing(5, 'a'), standing(6, 'b')]]);
    expect(await settle(line)).toEqual({ revision: 6, position: 60n, wasAcknowledgedAtFirstSending: false });
    expect(sent).toHaveLength(1);
    expect(asked).toEqual([['tracker-0', 5, 2]]);
  });

  test('other ids at its revisions: lost', async () => {
    const { line, sent } = scriptedLine([noAnswer], [[standing(5, 'other')]]);
    await expect(settle(line)).rejects.toMatchObject({ name: 'AppendConflict', expected: 4, actual: 9 });
    expect(sent).toHaveLength(1);
  });

  test('neither: repeated unchanged, with the same ids, bytes and expected revision', async () => {
    const { line, sent } = scriptedLine([noAnswer, noAnswer, acknowledged]);
    expect(await settle(line)).toEqual({ ...acknowledged, wasAcknowledgedAtFirstSending: false });
    expect(sent).toEqual([append, append, append]);
    expect(sent.every((each) => each === append)).toBe(true);
  });

  test('repetitions wait, longer with each', async () => {
    const { line, pauses } = scriptedLine([noAnswer, noAnswer, noAnswer, acknowledged]);
    await settle(line);
    expect(pauses).toEqual([1, 2, 3]);
  });

  test('an append that arrives between the look and its repetition is accepted by its own ids', async () => {
    const { line } = scriptedLine([noAnswer, conflictAt(6)], [[], [standing(5, 'A'), standing(6, 'B')]]);
    expect(await settle(line)).toMatchObject({ revision: 6, wasAcknowledgedAtFirstSending: false });
  });

  test('a wrong revision on a repetition is lost only if other ids stand there', async () => {
    const { line } = scriptedLine([noAnswer, conflictAt(5)], [[], [standing(5, 'other')]]);
    await expect(settle(line)).rejects.toMatchObject({ name: 'AppendConflict' });
  });

  test('a wrong revision on a repetition is no outcome while nothing stands at its revisions', async () => {
    const { line, sent } = scriptedLine([noAnswer, conflictAt(3), acknowledged]);
    expect(await settle(line)).toMatchObject({ wasAcknowledgedAtFirstSending: false });
    expect(sent).toHaveLength(3);
  });

  test('where its revisions are truncated nobody will know, and it says so', async () => {
    const { line } = scriptedLine([noAnswer, conflictAt(8)], [[standing(8, 'other')]]);
    await expect(settle(line)).rejects.toMatchObject({ name: 'AppendOutcomeUnknown', mayRetry: true });
  });

  test.each([
    new AppendTooLarge({ bytesMax: 1 }),
    new AppendRefused('disk full'),
    new AccessDenied('tracker-0'),
    new StreamTombstoned('tracker-0'),
  ])('a refusal is final at the first sending and no outcome after: $name', async (refusal) => {
    await expect(settle(scriptedLine([refusal]).line)).rejects.toBe(refusal);
    const { line, sent } = scriptedLine([noAnswer, refusal, acknowledged]);
    expect(await settle(line)).toMatchObject({ wasAcknowledgedAtFirstSending: false });
    expect(sent).toHaveLength(3);
  });

  test('a look without an answer settles nothing', async () => {
    const { line, sent } = scriptedLine([noAnswer, noAnswer, acknowledged], [noAnswer]);
    expect(await settle(line)).toMatchObject({ wasAcknowledgedAtFirstSending: false });
    expect(sent).toHaveLength(3);
  });

  test('an append to no stream looks from revision 0', async () => {
    const { line, asked } = scriptedLine([noAnswer], [[standing(0, 'A'), standing(1, 'B')]]);
    expect(await settle(line, appendAt('no-stream'))).toMatchObject({ revision: 1 });
    expect(asked).toEqual([['tracker-0', 0, 2]]);
  });

  test('an append at any revision is neither repeated nor looked for', async () => {
    const { line, sent, asked } = scriptedLine([noAnswer]);
    await expect(settle(line, appendAt('any'))).rejects.toMatchObject({
      name: 'AppendOutcomeUnknown',
      mayRetry: false,
      cause: noAnswer,
    });
    expect([sent.length, asked.length]).toEqual([1, 0]);
  });

  test.each([expired, new WaitAborted('the wait was aborted')])(
    'a wait that ends after a sending leaves the outcome unknown: $name',
    async (end) => {
      await expect(settle(scriptedLine([end]).line)).rejects.toMatchObject({
        name: 'AppendOutcomeUnknown',
        cause: end,
      });
      await expect(settle(scriptedLine([noAnswer], [end]).line)).rejects.toMatchObject({
        name: 'AppendOutcomeUnknown',
        mayRetry: true,
      });
    },
  );

  test('the store was unavailable only if nothing was ever sent', async () => {
    const unavailable = new StoreUnavailable('the store could not be reached');
    const { line } = scriptedLine([acknowledged]);
    const unsent: AppendLine = { ...line, send: () => Promise.reject(unavailable) };
    await expect(settle(unsent)).rejects.toBe(unavailable);
    await expect(settle(scriptedLine([noAnswer, unavailable]).line)).rejects.toMatchObject({
      name: 'AppendOutcomeUnknown',
      cause: unavailable,
    });
  });
});
