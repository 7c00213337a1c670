/** Why a test fails: what the embedded store does not have, and does not pretend to. */
const reasons = {
  nodes: 'one node: no follower that would refuse what a leader must do',
  persistent: 'no persistent subscriptions',
  projections: 'no projections',
  timeout: "no commit timeout to set: an append waits for this machine's disk alone",
};

/** Tests that the embedded store is known to fail, by file and name. docs/official-client-tests.md has them as a table. */
export const knownFailures = [
  {
    test: 'connection/not-leader.test.ts › not-leader › should get an error here',
    reason: reasons.nodes,
  },
  {
    test: 'connection/reconnect/NotLeaderError.test.ts › reconnect › NotLeaderError (should reconnect to leader)',
    reason: reasons.nodes,
  },
  {
    test: 'connection/reconnect/all-nodes-down.test.ts › reconnect › All nodes down',
    reason: reasons.persistent,
  },
  {
    test: 'connection/reconnect/no-reconnection.test.ts › reconnect › no reconnection for TimeoutError',
    reason: reasons.timeout,
  },
  {
    test: 'extra/dispose.test.ts › dispose › Persistent subscription to stream',
    reason: reasons.persistent,
  },
  {
    test: 'extra/dispose.test.ts › dispose › Supported (>=21.10) › Persistent subscription to $all',
    reason: reasons.persistent,
  },
  {
    test: 'extra/oversize-event.test.ts › oversize events › oversize events',
    reason: reasons.projections,
  },
  {
    test: 'extra/typedEvents.test.ts › typed events should compile › connectToPersistantSubscription',
    reason: reasons.persistent,
  },
  {
    test: 'streams/readAll.test.ts › readAll › should successfully read from $all › resolve link tos',
    reason: reasons.projections,
  },
  {
    test: 'streams/readStream.test.ts › readStream › should successfully read from stream › options › resolve link tos',
    reason: reasons.projections,
  },
];

/** The rows of that table, as `test: reason`. */
export const documentedFailures = (markdown) =>
  [...markdown.matchAll(/^\| `(.+?)` +\| (.+?) +\|$/gm)].map(([, test, reason]) => `${test}: ${reason}`);
