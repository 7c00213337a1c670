import type { Backoff } from './backoff.js';
import type { StoreAddress } from './client-opening.js';
import type { Log } from './log.js';
import { appendBytesMaxByDefault } from './prepared-append.js';
import type { Endpoint, Session } from './session.js';
import { systemTiming, type Timing } from './timing.js';

export interface EventStoreClientOptions {
  /** Limit of a call that states none, in milliseconds. @default 15_000 */
  readonly timeoutMs?: number;
  /** How long the store may take over one answer before the connection is given up, in milliseconds. @default 5_000 */
  readonly answerTimeoutMs?: number;
  /** How long opening a connection may take, discovery included, in milliseconds. @default 10_000 */
  readonly openTimeoutMs?: number;
  /** How long between two tries to connect. @default 50 ms, doubling up to 5 s, with full jitter */
  readonly backoff?: Backoff;
  /** How large the encoded events of one append may be, in bytes. @default 1 MiB less 16 KiB */
  readonly appendBytesMax?: number;
  /** How long a subscription may be silent before it is checked, in milliseconds. @default 5_000 */
  readonly silenceMs?: number;
  /** How many events a subscription holds, and hands over at once, at most. @default 256 */
  readonly subscriptionBufferMax?: number;
  /** Not ready if nothing has succeeded for so long, in milliseconds. @default 15_000 */
  readonly successMaxAgeMs?: number;
  /** Not ready if a subscription has been behind for so long, in milliseconds. @default 10_000 */
  readonly lagMaxMs?: number;
  /** @default silent */
  readonly log?: Log;
  readonly timing?: Timing;
  /** Opens a session in place of the official client's. */
  readonly openSession?: OpenSession;
}

/** Opens a session, at the node that is thought to lead if one is named. */
export type OpenSession = (leader: Endpoint | undefined, signal: AbortSignal) => Promise<Session>;

export type Settings = Required<Omit<EventStoreClientOptions, 'openSession'>>;

export const settingsOf = (options: EventStoreClientOptions): Settings => ({
  timeoutMs: options.timeoutMs ?? 15_000,
  answerTimeoutMs: options.answerTimeoutMs ?? 5_000,
  openTimeoutMs: options.openTimeoutMs ?? 10_000,
  backoff: options.backoff ?? { firstMs: 50, maxMs: 5_000 },
  appendBytesMax: options.appendBytesMax ?? appendBytesMaxByDefault,
  silenceMs: options.silenceMs ?? 5_000,
  subscriptionBufferMax: options.subscriptionBufferMax ?? 256,
  successMaxAgeMs: options.successMaxAgeMs ?? 15_000,
  lagMaxMs: options.lagMaxMs ?? 10_000,
  log: options.log ?? (() => undefined),
  timing: options.timing ?? systemTiming,
});

/** A connection string as it is, or an address in words. */
export const addressOf = (address: string | StoreAddress): StoreAddress =>
  typeof address === 'string' ? { connectionString: address } : address;
