import type { JsonValue } from '../core/json.js';

/** How many bytes a value has as it is stored. */
export const encodedBytes = (value: JsonValue | object): number => Buffer.byteLength(JSON.stringify(value));
