/** Somebody else leads. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
  readonly mayRetry = true;
}
