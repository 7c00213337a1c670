import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f_0682;

interface Checksum {
  readonly first: number;
  readonly second: number;
}

/** A page as it stands in the write-ahead log; its checksum goes on from that of the frame before it. */
interface Frame {
  readonly isOfThisLog: boolean;
  readonly endsTransaction: boolean;
  readonly stored: Checksum;
  checksum(previous: Checksum): Checksum;
}

/**
 * Whether the write-ahead log lost what was acknowledged. SQLite takes the first frame that is not as it was written for
 * the end of the log, as a crash in the middle of a write leaves it, and silently drops everything after.
 *
 * But a transaction is only begun once the one before it is on disk. So whatever a crash leaves unfinished belongs to one
 * transaction, and a frame that is whole after the end of another that is not shows damage.
 */
export function isWriteAheadLogDamaged(file: string): boolean {
  if (!existsSync(file)) return false;
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    // The header is brought to disk before the first frame.
    return size > headerBytes && isDamaged(descriptor, size);
  } finally {
    closeSync(descriptor);
  }
}

function isDamaged(descriptor: number, size: number): boolean {
  const header = read(descriptor, 0, headerBytes);
  const isLittleEndian = header.getUint32(0) === magic;
  const begun = checksumOf(header, 0, headerBytes - 8, { first: 0, second: 0 }, isLittleEndian);
  const isHeader = isLittleEndian || header.getUint32(0) === magic + 1;
  if (!isHeader || !isSame(begun, storedChecksum(header, headerBytes - 8))) return true;
  let previous = begun;
  let isBroken = false;
  let hasTransactionEnded = false;
  for (const frame of framesOf(descriptor, size, header, isLittleEndian)) {
    const isWhole = frame.isOfThisLog && isSame(frame.checksum(previous), frame.stored);
    if (isWhole && hasTransactionEnded) return true;
    isBroken ||= !isWhole;
    if (isBroken && frame.isOfThisLog) hasTransactionEnded ||= frame.endsTransaction;
    previous = frame.stored;
  }
  return false;
}

function* framesOf(
  descriptor: number,
  size: number,
  header: DataView,
  isLittleEndian: boolean,
): Generator<Frame> {
  const frameBytes = frameHeaderBytes + header.getUint32(8);
  for (let start = headerBytes; start + frameBytes <= size; start += frameBytes) {
    const frame = read(descriptor, start, frameBytes);
    yield {
      isOfThisLog: [0, 4].every((at) => frame.getUint32(8 + at) === header.getUint32(16 + at)),
      endsTransaction: frame.getUint32(4) !== 0,
      stored: storedChecksum(frame, 16),
      checksum: (previous) => {
        const named = checksumOf(frame, 0, 8, previous, isLittleEndian);
        return checksumOf(frame, frameHeaderBytes, frameBytes, named, isLittleEndian);
      },
    };
  }
}

function read(descriptor: number, start: number, bytes: number): DataView {
  const buffer = new Uint8Array(bytes);
  const count = readSync(descriptor, buffer, 0, bytes, start);
  return new DataView(buffer.buffer, 0, count);
}

const storedChecksum = (bytes: DataView, at: number): Checksum => ({
  first: bytes.getUint32(at),
  second: bytes.getUint32(at + 4),
});

function checksumOf(
  bytes: DataView,
  from: number,
  to: number,
  previous: Checksum,
  isLittleEndian: boolean,
): Checksum {
  let { first, second } = previous;
  for (let at = from; at < to; at += 8) {
    first = (first + bytes.getUint32(at, isLittleEndian) + second) >>> 0;
    second = (second + bytes.getUint32(at + 4, isLittleEndian) + first) >>> 0;
  }
  return { first, second };
}

const isSame = (one: Checksum, other: Checksum): boolean =>
  one.first === other.first && one.second === other.second;
