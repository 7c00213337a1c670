import { timingSafeEqual, createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { InvalidRequest } from './errors.js';
import { isMetastream, originalOf, type AccessList } from './stream-metadata.js';

export interface User {
  readonly name: string;
  readonly password: string;
  /** Members of `$admins` may do everything. */
  readonly groups?: readonly string[];
}

export type Action = keyof AccessList;

export class AccessDenied extends Error {
  override readonly name = 'AccessDenied';
  constructor() {
    super('Access Denied');
  }
}

/**
 * Who may do what. Without users everyone may do everything, which is why the store then listens where nobody else
 * can connect; with users each call names one of them (HTTP basic), and the access list of a stream counts.
 */
export class AccessControl {
  private readonly users: ReadonlyMap<string, User> | undefined;

  constructor(users?: readonly User[]) {
    this.users = users && new Map(users.map((user) => [user.name, user]));
  }

  /** @throws AccessDenied if the caller is unknown or not on the list */
  check(
    authorization: string | undefined,
    action: Action,
    stream: string,
    accessList: AccessList | undefined,
  ): void {
    if (!this.users) return;
    const user = this.userOf(authorization);
    if (isForNobody(action, stream)) throw new AccessDenied();
    const names = new Set([user.name, ...(user.groups ?? [])]);
    if (names.has('$admins')) return;
    const allowed = accessList?.[action] ?? defaultFor(stream);
    if (!allowed.some((name) => name === '$all' || names.has(name))) throw new AccessDenied();
  }

  private userOf(authorization: string | undefined): User {
    const [, encoded] = /^Basic (.+)$/i.exec(authorization ?? '') ?? [];
    const [name = '', ...rest] = Buffer.from(encoded ?? '', 'base64')
      .toString('utf8')
      .split(':');
    const user = this.users?.get(name);
    // An unknown name takes as long as a wrong password.
    const isRight = isSame(rest.join(':'), user?.password ?? '');
    if (!user || !isRight) throw new AccessDenied();
    return user;
  }
}

/** As in EventStoreDB, `$all` is only read, and a metadata stream goes with the stream it belongs to. */
const isForNobody = (action: Action, stream: string): boolean =>
  (stream === '$all' && (action === 'write' || action === 'delete')) ||
  (isMetastream(stream) && action === 'delete');

/**
 * System streams are for `$admins`, reading included: `$all` would show every stream, whatever the access list of each
 * says. The metadata of a system stream is as protected as the stream, since it holds its access list.
 */
function defaultFor(stream: string): readonly string[] {
  const subject = isMetastream(stream) ? originalOf(stream) : stream;
  return subject.startsWith('$') ? ['$admins'] : ['$all'];
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * Reads `[{ "name": …, "password": …, "groups": ["$admins"] }]`.
 *
 * @throws InvalidRequest naming the field, or if others than the owner may read the passwords
 */
export function readUsersFile(file: string): readonly User[] {
  if (!existsSync(file)) throw new InvalidRequest(`there is no users file ${file}`);
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new InvalidRequest(`${file} holds passwords and can be read by others; run: chmod 600 ${file}`);
  }
  const users: unknown = parseJson(file);
  if (!Array.isArray(users) || users.length === 0) {
    throw new InvalidRequest(`${file} must hold a JSON array with at least one user`);
  }
  const parsed = users.map((user: unknown, index) => parseUser(user, `${file}: user ${index + 1}`));
  const names = new Set(parsed.map(({ name }) => name));
  if (names.size < parsed.length) throw new InvalidRequest(`${file}: two users have the same name`);
  return parsed;
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidRequest(
      `${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function parseUser(value: unknown, place: string): User {
  const { name, password, groups = [], ...others } = (value ?? {}) as Partial<Record<keyof User, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new InvalidRequest(`${place}: there is no field ${unknown}`);
  if (typeof name !== 'string' || name === '' || name.includes(':')) {
    throw new InvalidRequest(`${place}: name must be a text that is not empty and has no colon`);
  }
  if (typeof password !== 'string' || password === '')
    throw new InvalidRequest(`${place}: password is missing`);
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) {
    throw new InvalidRequest(`${place}: groups must be an array of texts`);
  }
  return { name, password, groups };
}
