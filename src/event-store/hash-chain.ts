import { hash as digest } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import { ChainBroken, NotIJson } from './codec-errors.js';
import { isObject } from './event-metadata.js';
import type { JsonValue, RecordedEvent } from './event-store.js';

/** What comes before the first event of a log. */
export const firstPreviousHash = '0'.repeat(64);

/**
 * SHA-256, in hexadecimal, of the canonical form of `[previousHash, name, data, metadata]`, the metadata without the hash. It is
 * put together here because data and metadata have to be canonical each for itself as well, to be counted.
 *
 * @param data canonical
 * @param metadata canonical, without the hash
 */
export const linkHash = (previousHash: string, storedName: string, data: string, metadata: string): string =>
  digest('sha256', `["${previousHash}",${canonicalJson(storedName)},${data},${metadata}]`, 'hex');

/**
 * Verifies that the event is what was written after the one with that hash. Needs to know nothing of the event, so that whole logs
 * can be verified by who does not know all names.
 *
 * @returns the hash of the event, for the next one
 * @throws ChainBroken
 */
export const verifyLink = (recorded: RecordedEvent, previousHash: string): string => {
  const { hash, ...hashed } = isObject(recorded.metadata) ? recorded.metadata : {};
  const found = typeof hash === 'string' ? hash : undefined;
  const expected = expectedHash(recorded, hashed, previousHash);
  if (found !== undefined && found === expected) return found;
  throw new ChainBroken({ revision: recorded.revision, expected, found });
};

/** Nothing if the data is bytes, or has no canonical form: neither was written by us. */
const expectedHash = (
  { type, data }: RecordedEvent,
  metadata: JsonValue,
  previousHash: string,
): string | undefined => {
  if (data instanceof Uint8Array) return undefined;
  try {
    return linkHash(previousHash, type, canonicalJson(data), canonicalJson(metadata));
  } catch (error) {
    if (error instanceof NotIJson) return undefined;
    throw error;
  }
};
