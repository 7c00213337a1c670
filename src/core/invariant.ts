/** A state that cannot be. Who decides drops what it decided on; who folds what is durable stops (P6). */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
}

/** The only way in which core throws. */
export function invariant(holds: unknown, message: string): asserts holds {
  if (!holds) throw new InvariantBroken(message);
}
