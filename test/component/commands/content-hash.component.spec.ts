import { describe, expect, test } from '@jest/globals';
import { contentHashOf } from '../../../src/commands/content-hash.js';
import { NotIJson } from '../../../src/event-store/codec-errors.js';

const sent = { jobId: 'job-1', kind: 'report', size: 3, payload: { month: '2026-01', rows: [1, 2] } };

describe('the content hash of a request', () => {
  test('is what any other language computes', () => {
    // printf '%s' '{"jobId":"job-1","kind":"report","payload":{"month":"2026-01","rows":[1,2]},"size":3}' |
    //   openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '='
    expect(contentHashOf(sent)).toBe('z1WN2LeHJo-nJZ4_u28dUigbA9EzZ910A2VFP75iup4');
  });

  test('is the same in any order, and with absent fields written out', () => {
    const { jobId, kind, size } = sent;
    const same = { payload: { rows: [1, 2], month: '2026-01' }, name: undefined, size, kind, jobId };
    expect(contentHashOf(same)).toBe(contentHashOf(sent));
  });

  test.each<[string, Parameters<typeof contentHashOf>[0]]>([
    ['another value', { ...sent, size: 4 }],
    ['a field more, even if it holds the default', { ...sent, priority: 0 }],
    ['null for an absent field', { ...sent, name: null }],
    ['another order in a list', { ...sent, payload: { month: '2026-01', rows: [2, 1] } }],
  ])('is another for %s', (_what, other) => {
    expect(contentHashOf(other)).not.toBe(contentHashOf(sent));
  });

  test('does not exist for what cannot be stored', () => {
    expect(() => contentHashOf({ ...sent, payload: '\udead' })).toThrow(NotIJson);
  });
});
