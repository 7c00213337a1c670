import { hash } from 'node:crypto';
import { canonicalJson } from '../event-store/canonical-json.js';
import type { JsonValue } from '../event-store/event-store.js';

/**
 * By this a repeated request is told from another one under the same id (P23): SHA-256 of the canonical form, in base64url. Equal
 * for the same fields in any order, and for a field that is absent and one that is `undefined`.
 *
 * @param sent what the caller sent, before defaults, so that a default that changes makes no other request of it; and without
 *   the id of the request itself, which is new with each repetition
 * @throws NotIJson if it holds what cannot be stored; see `checkIJson`
 */
export const contentHashOf = (sent: Readonly<Record<string, JsonValue | undefined>>): string =>
  hash('sha256', canonicalJson(sent), 'base64url');
