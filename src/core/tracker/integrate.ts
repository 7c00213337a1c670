import type { Instant } from '../instant.js';
import { timeImplies } from './clock.js';
import type { Integration } from './decision.js';
import type { Fact } from './fact.js';
import { hello } from './hello.js';
import { goodbye, returned, silence } from './membership.js';
import { report } from './report.js';
import type { TrackerState } from './state.js';

/**
 * The events that a fact implies at this instant: none if it is stale or repeated. A fact is never refused, though the node
 * that told it may be told to stop something. Changes nothing.
 */
export const integrate = (state: TrackerState, fact: Fact, now: Instant): Integration => {
  switch (fact.type) {
    case 'NodeSaidHello':
      return hello(state, fact, now);
    case 'NodeReturned':
      return returned(state, fact, now);
    case 'NodeFellSilent':
      return silence(state, fact, now);
    case 'NodeSaidGoodbye':
      return goodbye(state, fact, now);
    case 'AttemptReported':
      return report(state, fact, now);
    case 'TimePassed':
      return timeImplies(state, fact, now);
    case 'ClockJumped':
      return { events: [{ type: 'ClockStepped', byMs: fact.byMs, at: now }], answer: { kind: 'nothing' } };
  }
};
