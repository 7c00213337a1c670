import type { Revision } from '../core/ids.js';
import type { Event } from '../core/tracker/event.js';

/** What has become durable, in order, while we were proven to lead. */
export type DurableListener = (events: readonly Event[], firstRevision: Revision) => void;

/** How a leadership ended. */
export type Ending = { readonly kind: 'resigned' } | { readonly kind: 'ended'; readonly error: Error };
