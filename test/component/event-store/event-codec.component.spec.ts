import { describe, expect, test } from '@jest/globals';
import type { ClusterId, JobId, NodeId } from '../../../src/core/ids.js';
import { jsonDepthMax } from '../../../src/event-store/i-json.js';
import type { Event } from '../../../src/core/tracker/event.js';
import { ChainBroken, MalformedEvent, UnknownEvent } from '../../../src/event-store/codec-errors.js';
import { decodeEvent, encodeEvent, EventCodec } from '../../../src/event-store/event-codec.js';
import { storedNames } from '../../../src/event-store/event-names.js';
import type { JsonValue, RecordedEvent } from '../../../src/event-store/event-store.js';
import { firstPreviousHash, verifyLink } from '../../../src/event-store/hash-chain.js';
import type { Upcasters } from '../../../src/event-store/upcasting.js';
import { anOrigin, recordedAs, recordedLog } from '../../kit/recorded-events.js';

const jobId = 'job-1' as JobId;
const nodeId = 'node-a' as NodeId;
const nodeLost: Event = { type: 'NodeLost', nodeId, at: 5 };
const bound: Event = { type: 'JobBound', jobId, nodeId, at: 5 };
const accepted = (payload: unknown): Event => ({
  type: 'JobAccepted',
  jobId,
  submitter: 'ann' as never,
  contentHash: 'x',
  kind: 'report',
  size: 1,
  priority: 0,
  payload: payload as JsonValue,
  at: 5,
});

const stored = (
  event: Event,
  change: { readonly data?: unknown; readonly metadata?: unknown } = {},
): RecordedEvent => ({
  ...recordedAs(encodeEvent(event, anOrigin).stored, 7),
  ...(change as object),
});

describe('stored names', () => {
  test.each(Object.entries(storedNames))(
    '%s is %s, its name in small letters and a version',
    (type, name) => {
      const kebab = type.replaceAll(/(?!^)([A-Z])/gu, '-$1').toLowerCase();
      expect(name.replace(/\.v[1-9]\d*$/u, '')).toBe(kebab);
    },
  );

  test('are all different', () => {
    expect(new Set(Object.values(storedNames)).size).toBe(Object.keys(storedNames).length);
  });
});

describe('metadata', () => {
  const clusterCreated: Event = { type: 'ClusterCreated', clusterId: 'c' as ClusterId, at: 1 };
  test.each<[string, Event, string]>([
    ['the job', bound, 'job-1'],
    ['the node', nodeLost, 'node-a'],
    ['the cluster', clusterCreated, 'c'],
    ['the term', { type: 'JobsForgotten', finishedUpTo: 3, count: 1, at: 5 }, 'term-4'],
  ])('correlates an event with %s', (_what, event, correlationId) => {
    const { metadata } = encodeEvent(event, { ...anOrigin, term: 4 }).stored;
    expect(metadata).toMatchObject({ $correlationId: correlationId, $causationId: 'clock', term: 4 });
  });

  test('may have more fields than we know, which are in the hash', () => {
    const { data, metadata } = stored(bound);
    const extended = stored(bound, { data, metadata: { ...(metadata as object), traceId: '1' } });
    expect(decodeEvent(extended).event).toEqual(bound);
    expect(() => verifyLink(extended, firstPreviousHash)).toThrow(ChainBroken);
  });
});

describe('an event that cannot be read', () => {
  test.each(['job-exploded.v1', 'node-lost.v2', 'node-lost', '$metadata', 'constructor'])(
    'stops who reads it if its name %s is not known (P28)',
    (type) => {
      const read = (): unknown => decodeEvent({ ...stored(nodeLost), type });
      expect(read).toThrow(UnknownEvent);
      expect(read).toThrow(`revision 7 is "${type}"`);
    },
  );

  test.each<[string, { readonly data?: unknown; readonly metadata?: unknown }, string]>([
    ['data that is a list', { data: [] }, 'the data is not a JSON object'],
    ['data that is bytes', { data: new Uint8Array(3) }, 'the data is not a JSON object'],
    ['data that is null', { data: null }, 'the data is not a JSON object'],
    ['no node', { data: { at: 5 } }, 'nodeId is missing'],
    ['a node that is null', { data: { nodeId: null, at: 5 } }, 'nodeId is not what it must be: id'],
    ['an instant that is text', { data: { nodeId, at: '5' } }, 'at is not what it must be: instant'],
    ['half a millisecond', { data: { nodeId, at: 5.5 } }, 'at is not what it must be: instant'],
    ['a field that nobody knows', { data: { nodeId, at: 5, why: 1 } }, 'why is a field it does not have'],
    ['a type of its own', { data: { nodeId, at: 5, type: 'NodeLeft' } }, 'type is a field it does not have'],
    ['no metadata', { metadata: undefined }, 'the metadata is not a JSON object'],
    ['metadata of something else', { metadata: { term: 1 } }, 'the metadata is not that of an event'],
  ])('stops who reads it if it has %s', (_what, change, problem) => {
    const read = (): unknown => decodeEvent(stored(nodeLost, change));
    expect(read).toThrow(MalformedEvent);
    expect(read).toThrow(`node-lost.v1 at revision 7: ${problem}`);
  });

  test.each<[string, unknown]>([
    ['no reason', {}],
    ['an unknown reason', { reason: 'bored' }],
    ['the name of an inherited property', { reason: 'constructor' }],
    ['no error where it failed', { reason: 'failed' }],
    ['a field of another reason', { reason: 'released', result: 1 }],
    ['an error without a message', { reason: 'failed', error: {} }],
  ])('stops who reads it if the end of the attempt has %s', (_what, end) => {
    const data = { jobId, attempt: 1, then: 'failed', at: 5, end } as JsonValue;
    const attemptEnded = recordedAs({
      type: 'attempt-ended.v1',
      data,
      metadata: stored(bound).metadata as JsonValue,
    });
    expect(() => decodeEvent(attemptEnded)).toThrow('end is not what it must be');
  });
});

describe('an event that could not be read again is not written', () => {
  test.each<[string, unknown]>([
    ['a number that is none', { rows: NaN }],
    ['half of a surrogate pair', '\ud800'],
    ['a date', { at: new Date() }],
  ])('for %s', (_what, payload) => {
    expect(() => encodeEvent(accepted(payload), anOrigin)).toThrow(MalformedEvent);
  });

  test('for a field that is missing, or unknown', () => {
    expect(() => encodeEvent({ type: 'NodeLost', at: 5 } as Event, anOrigin)).toThrow('nodeId is missing');
    expect(() => encodeEvent({ ...nodeLost, why: 1 } as Event, anOrigin)).toThrow('why is a field');
  });

  test('but is, with the deepest payload that the check at the edge lets pass', () => {
    let result: JsonValue = 1;
    for (let level = 0; level < jsonDepthMax; level += 1) result = [result];
    const event: Event = {
      type: 'AttemptEnded',
      jobId,
      attempt: 1,
      end: { reason: 'succeeded', result },
      then: 'completed',
      at: 5,
    };
    const { stored: written, hash } = encodeEvent(event, anOrigin);
    expect(verifyLink(recordedAs(written), firstPreviousHash)).toBe(hash);
  });
});

describe('old versions', () => {
  /** A made-up history: `node-lost` once had no instant in milliseconds, and before that another name for the node. */
  const upcasters: Upcasters = {
    'node-lost.v1': ({ data: { worker, ...rest }, metadata }) => ({
      data: { ...rest, nodeId: worker },
      metadata,
    }),
    'node-lost.v2': ({ data: { seconds, ...rest }, metadata }) => ({
      data: { ...rest, at: Number(seconds) * 1_000 },
      metadata: { ...metadata, term: 9 },
    }),
  };
  const codec = new EventCodec({ ...storedNames, NodeLost: 'node-lost.v3' }, upcasters);
  const metadata = stored(nodeLost).metadata as JsonValue;

  test.each<[string, JsonValue, number]>([
    ['node-lost.v1', { worker: 'node-a', seconds: 5 }, 9],
    ['node-lost.v2', { nodeId: 'node-a', seconds: 5 }, 9],
    ['node-lost.v3', { nodeId: 'node-a', at: 5_000 }, 1],
  ])('are lifted from %s to the current one', (type, data, term) => {
    const decoded = codec.decode(recordedAs({ type, data, metadata }));
    expect(decoded.event).toEqual({ type: 'NodeLost', nodeId: 'node-a', at: 5_000 });
    expect(decoded.metadata.term).toBe(term);
  });

  test('are read and not written', () => {
    expect(codec.encode(nodeLost, anOrigin).stored.type).toBe('node-lost.v3');
  });

  test('are checked after they were lifted', () => {
    const read = (): unknown =>
      codec.decode(recordedAs({ type: 'node-lost.v1', data: { seconds: 5 }, metadata }));
    expect(read).toThrow('node-lost.v1 at revision 0: nodeId is missing');
  });

  test('that are newer than the current one are not known (P28)', () => {
    const read = (): unknown => codec.decode(recordedAs({ type: 'node-lost.v4', data: {}, metadata }));
    expect(read).toThrow(UnknownEvent);
  });

  test.each<[string, Partial<typeof storedNames>, Upcasters]>([
    ['leave out a version', { NodeLost: 'node-lost.v3' }, { 'node-lost.v2': (content) => content }],
    ['lead nowhere', {}, { 'node-lost.v1': (content) => content }],
    ['belong to no name with a version', { NodeLost: 'node-lost' }, {}],
  ])('cannot be lifted by steps that %s', (_what, names, steps) => {
    expect(() => new EventCodec({ ...storedNames, ...names }, steps)).toThrow(RangeError);
  });
});

describe('a broken chain', () => {
  const log = recordedLog([nodeLost, bound]);
  const second = log[1] as RecordedEvent;

  const breaking = (recorded: RecordedEvent, previousHash: string): ChainBroken => {
    try {
      verifyLink(recorded, previousHash);
    } catch (error) {
      if (error instanceof ChainBroken) return error;
    }
    throw new Error('the chain holds');
  };

  test('is told by revision, and by the hashes that were expected and found', () => {
    const { hash } = decodeEvent(second).metadata;
    const { revision, expected, found, message } = breaking(second, firstPreviousHash);
    expect({ revision, found }).toEqual({ revision: 1, found: hash });
    expect(expected).toMatch(/^[\da-f]{64}$/u);
    expect(message).toContain(`at revision 1: expected ${String(expected)}, found ${hash}`);
  });

  test.each<[string, Partial<RecordedEvent>, string]>([
    ['an event without a hash', { metadata: {} }, 'found no hash'],
    ['an event without metadata', { metadata: null }, 'found no hash'],
    ['data that is bytes', { data: new Uint8Array(2) }, 'expected no hash'],
    ['data that is not I-JSON', { data: '\ud800' }, 'expected no hash'],
  ])('is one with %s', (_what, change, words) => {
    expect(breaking({ ...second, ...change }, firstPreviousHash).message).toContain(words);
  });
});
