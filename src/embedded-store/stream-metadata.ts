/** Who may do what with a stream: names of users and groups. Absent means: the default of the store. */
export interface AccessList {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly delete?: readonly string[];
  readonly metaRead?: readonly string[];
  readonly metaWrite?: readonly string[];
}

/** The settings of a stream, as its metadata stream holds them in JSON. They filter reads; nothing is erased by them. */
export interface StreamMetadata {
  readonly maxCount?: number;
  /** In seconds. */
  readonly maxAge?: number;
  /** Events before this revision are hidden. Infinity is a soft delete. */
  readonly truncateBefore?: number;
  readonly acl?: AccessList;
}

export const noMetadata: StreamMetadata = {};
export const metadataEventType = '$metadata';
export const streamDeletedEventType = '$streamDeleted';

/** Written as `$tb` by a soft delete: the largest 64-bit number. */
const softDeleteMark = '9223372036854775807';

export const isMetastream = (stream: string): boolean => stream.startsWith('$$');
export const metastreamOf = (stream: string): string => `$$${stream}`;
export const originalOf = (metastream: string): string => metastream.slice(2);

/** Only the newest metadata event counts. */
export const metastreamMetadata: StreamMetadata = { maxCount: 1 };

export const isSoftDeleted = (metadata: StreamMetadata): boolean => metadata.truncateBefore === Infinity;

/** Metadata that cannot be read sets nothing: a writer must not be able to make its stream unreadable. */
export function parseMetadata(data: Uint8Array): StreamMetadata {
  const fields = parseFields(data);
  const maxCount = atLeast(1, fields['$maxCount']);
  const maxAge = atLeast(1, fields['$maxAge']);
  const truncateBefore = isBeyondAll(fields['$tb']) ? Infinity : atLeast(0, fields['$tb']);
  const acl = parseAccessList(fields['$acl']);
  return {
    ...(maxCount !== undefined && { maxCount }),
    ...(maxAge !== undefined && { maxAge }),
    ...(truncateBefore !== undefined && { truncateBefore }),
    ...(acl !== undefined && { acl }),
  };
}

/** The metadata of a stream after a soft delete. As in EventStoreDB, nothing stays of what the writer had set. */
export const softDeleteMetadata: Uint8Array = Buffer.from(`{"$tb":${softDeleteMark}}`);

/** The metadata of a stream that is written to again after a soft delete: it goes on where it ended. */
export function withTruncation(data: Uint8Array, truncateBefore: number): Uint8Array {
  return Buffer.from(JSON.stringify({ ...parseFields(data), $tb: truncateBefore }));
}

function parseFields(data: Uint8Array): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
    return isRecord(fields) ? fields : {};
  } catch {
    return {};
  }
}

function parseAccessList(value: unknown): AccessList | undefined {
  if (!isRecord(value)) return undefined;
  const entries = [
    ['read', names(value['$r'])],
    ['write', names(value['$w'])],
    ['delete', names(value['$d'])],
    ['metaRead', names(value['$mr'])],
    ['metaWrite', names(value['$mw'])],
  ] as const;
  return Object.fromEntries(entries.filter(([, list]) => list !== undefined));
}

function names(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** No stream reaches a revision that a JavaScript number cannot count to. */
const isBeyondAll = (value: unknown): boolean => typeof value === 'number' && value > Number.MAX_SAFE_INTEGER;

const atLeast = (least: number, value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= least ? (value as number) : undefined;
