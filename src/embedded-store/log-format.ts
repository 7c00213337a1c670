import { crc32 } from 'node:zlib';
import type { StoredEvent } from './stored-event.js';

/** Marks the file as ours: the letters `Lshr`. */
export const applicationId = 0x4c_73_68_72;
export const formatVersion = 1;

/** One row an event, in the order of the log; `revision` is negative for the event that ends a stream for good. */
export const schema = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, revision INTEGER NOT NULL, id TEXT NOT NULL,
    type TEXT NOT NULL, is_json INTEGER NOT NULL, created_at INTEGER NOT NULL, checksum INTEGER NOT NULL,
    data BLOB NOT NULL, metadata BLOB
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
`;

/**
 * Covers everything a reader is told of an event, so that a disk that returns other bytes than were written is found out
 * when the event is read, not years later by a fold that went wrong.
 */
export function checksumOf(event: StoredEvent): number {
  const { position, stream, revision, id, type, isJson, createdAt, data, metadata } = event;
  // Text rather than bytes: this is done for each event, and a template is the fastest way there.
  const rest = `${position} ${revision} ${createdAt} ${isJson} ${id} ${data.byteLength} ${type} ${stream}`;
  return continued(continued(crc32(rest), data), metadata);
}

/** Empty arrays may have no memory at all, and for that crc32 begins anew instead of going on. */
const continued = (checksum: number, bytes: Uint8Array): number =>
  bytes.byteLength === 0 ? checksum : crc32(bytes, checksum);
