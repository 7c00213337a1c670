import { describe, expect, test } from '@jest/globals';
import { AccessControl, AccessDenied, type Action } from '../../../src/embedded-store/access-control.js';
import type { AccessList } from '../../../src/embedded-store/stream-metadata.js';

const access = new AccessControl([
  { name: 'admin', password: 'a-secret', groups: ['$admins'] },
  { name: 'grace', password: 'g-secret', groups: ['writers'] },
]);

const basic = (user: string): string => `Basic ${Buffer.from(user).toString('base64')}`;

const mayDo = (user: string, action: Action, stream: string, accessList?: AccessList): boolean => {
  try {
    access.check(basic(user), action, stream, accessList);
    return true;
  } catch (error) {
    if (error instanceof AccessDenied) return false;
    throw error;
  }
};
const mayGrace = (action: Action, stream: string, accessList?: AccessList): boolean =>
  mayDo('grace:g-secret', action, stream, accessList);
const mayAdmin = (action: Action, stream: string): boolean => mayDo('admin:a-secret', action, stream);

const everything: readonly Action[] = ['read', 'write', 'delete', 'metaRead', 'metaWrite'];

describe('access control', () => {
  test.each(['grace:wrong', 'nobody:g-secret', 'grace', ''])('refuses %p, who is not known', (user) => {
    expect(mayDo(user, 'read', 'jobs')).toBe(false);
  });

  test.each(everything)('lets every user %s a stream that has no list', (action) => {
    expect(mayGrace(action, 'jobs')).toBe(true);
  });

  test('goes by the list of the stream, for names and groups', () => {
    expect(mayGrace('write', 'jobs', { write: ['writers'] })).toBe(true);
    expect(mayGrace('write', 'jobs', { write: ['ada'] })).toBe(false);
    expect(mayGrace('read', 'jobs', { write: ['ada'] })).toBe(true);
  });

  test.each(['$settings', '$all'])('keeps others than admins from reading %s', (stream) => {
    expect(mayGrace('read', stream)).toBe(false);
    expect(mayAdmin('read', stream)).toBe(true);
    expect(mayGrace('read', stream, { read: ['grace'] })).toBe(true);
  });

  test('protects the metadata of a system stream like the stream', () => {
    expect(mayGrace('metaWrite', '$$$settings')).toBe(false);
    expect(mayGrace('metaRead', '$$$settings')).toBe(false);
    expect(mayAdmin('metaWrite', '$$$settings')).toBe(true);
    expect(mayGrace('metaWrite', '$$jobs')).toBe(true);
  });

  test('lets nobody write or delete $all, or delete a metadata stream', () => {
    expect(mayAdmin('write', '$all')).toBe(false);
    expect(mayAdmin('delete', '$all')).toBe(false);
    expect(mayAdmin('delete', '$$jobs')).toBe(false);
  });
});
