/** Why a job went where it went, as it is recorded with the placement. */
export interface PlacementReason {
  /**
   * - `least-loaded`: of the nodes with room, the one whose (load + size) / capacity is lowest after placing.
   * - `preferred`: the same, and the submitter's preference broke a tie.
   * - `oversized`: larger than every node; alone on the roomiest.
   * - `reserved`: on the node that was fixed for it (P25).
   * - `bound`: on the node in whose queue it waited (policy `early-binding`).
   */
  readonly rule: 'least-loaded' | 'preferred' | 'oversized' | 'reserved' | 'bound';
  /** What the node held before. */
  readonly load: number;
  readonly capacity: number;
  /** How many nodes it could have gone to. */
  readonly candidateCount: number;
  /** The estimate of its run time that was known, in milliseconds. */
  readonly estimatedRunMs?: number;
}
