import type { Metadata } from '@grpc/grpc-js';
import { AccessDenied, type AccessControl, type Action } from '../access-control.js';
import type { Engine } from '../engine.js';
import { isMetastream } from '../stream-metadata.js';

/** What every call needs. */
export interface StoreContext {
  readonly engine: Engine;
  readonly access: AccessControl;
  /** Aborts when the store stops: subscriptions end then. */
  readonly stopping: AbortSignal;
  /** The wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** @throws AccessDenied if the caller may not do that with the stream */
export function checkAccess(context: StoreContext, metadata: Metadata, action: Action, stream: string): void {
  const [authorization] = metadata.get('authorization');
  const effective = isMetastream(stream) && action !== 'delete' ? metaAction(action) : action;
  context.access.check(authorization?.toString(), effective, stream, context.engine.accessListOf(stream));
}

const metaAction = (action: Action): Action => (action === 'read' ? 'metaRead' : 'metaWrite');

/** The same as a question. */
export function isAllowed(
  context: StoreContext,
  metadata: Metadata,
  action: Action,
  stream: string,
): boolean {
  try {
    checkAccess(context, metadata, action, stream);
    return true;
  } catch (error) {
    if (error instanceof AccessDenied) return false;
    throw error;
  }
}
