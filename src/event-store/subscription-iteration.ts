import type { Settings } from './client-options.js';
import type { Connection } from './connection.js';
import { WaitAborted } from './errors.js';
import type { SubscribeOptions, SubscriptionBatch } from './event-store.js';
import type { ReadinessRecord } from './readiness.js';
import { Scope } from './scope.js';
import type { SubscriptionSource } from './subscription-source.js';
import { Subscription } from './subscription.js';

interface Context {
  readonly connection: Connection;
  readonly readiness: ReadinessRecord;
  readonly settings: Settings;
}

/** One iteration over one source. It is in readiness as long as it lasts. */
export const followSource = (
  source: SubscriptionSource,
  { connection, readiness, settings }: Context,
  options: SubscribeOptions & { readonly name: string },
): AsyncIterator<SubscriptionBatch, void> => {
  const scope = new Scope(settings.timing, { parents: [connection.closing], caller: options.signal });
  const subscriptionOptions = {
    ...settings,
    name: options.name,
    batchCountMax: settings.subscriptionBufferMax,
  };
  const subscription = new Subscription(source, connection, subscriptionOptions, scope.signal);
  readiness.add(subscription);
  const batches = subscription.batches();
  const end = (): void => {
    readiness.remove(subscription);
    scope.end();
  };
  return {
    next: async () => {
      try {
        const result = await batches.next();
        if (result.done) end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    },
    // A generator that waits hears of `return` only when its wait is over, so the wait is ended first.
    return: async () => {
      scope.abort(new WaitAborted('the iteration was left'));
      try {
        await batches.return();
      } finally {
        end();
      }
      return { done: true, value: undefined };
    },
  };
};
