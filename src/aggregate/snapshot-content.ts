import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { SnapshotRecord } from '../core/tracker/snapshot-records.js';

/** Records that are written at once: a line. */
const recordsPerLine = 256;

/** Of text, before it is packed, in bytes. Writing it down and packing it takes a few milliseconds. */
const pieceBytesMax = 256 * 1_024;

/** Ids and hashes hardly get smaller, whatever the effort. At this one it takes a fifth of what gzip takes at its least. */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const newline = 0x0a;

/**
 * The records as text, a line for some hundreds of them, cut and packed into contents of chunks. A piece ends where a line does,
 * but for lines that are too long for one piece. Packing is done here and now, and not on a thread, because that would end
 * whenever it likes, in a simulation too.
 */
export function* contentsOf(records: Iterable<SnapshotRecord>): Generator<Uint8Array, void, void> {
  let text = '';
  for (const line of linesOf(records)) {
    if (text.length > 0 && text.length + line.length > pieceBytesMax) {
      yield* packed(text);
      text = '';
    }
    text += line;
  }
  if (text.length > 0) yield* packed(text);
}

function* linesOf(records: Iterable<SnapshotRecord>): Generator<string, void, void> {
  let some: SnapshotRecord[] = [];
  for (const record of records) {
    some.push(record);
    if (some.length < recordsPerLine) continue;
    yield `${JSON.stringify(some)}\n`;
    some = [];
  }
  if (some.length > 0) yield `${JSON.stringify(some)}\n`;
}

function* packed(text: string): Generator<Uint8Array, void, void> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += pieceBytesMax) {
    yield brotliCompressSync(bytes.subarray(from, from + pieceBytesMax), quickly);
  }
}

/** Reads contents in their order. */
export class ContentReader {
  /** Of a line whose end is still to come. */
  private rest: Buffer[] = [];

  /** The records that are complete with this content. */
  recordsIn(content: Uint8Array): SnapshotRecord[] {
    const bytes = brotliDecompressSync(content, { maxOutputLength: pieceBytesMax });
    const end = bytes.lastIndexOf(newline) + 1;
    if (end === 0) {
      this.rest.push(bytes);
      return [];
    }
    const text = Buffer.concat([...this.rest, bytes.subarray(0, end)]).toString();
    this.rest = [bytes.subarray(end)];
    return text
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => JSON.parse(line) as SnapshotRecord[]);
  }
}
