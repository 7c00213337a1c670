import type { Instant } from '../instant.js';
import type { LiveJob } from '../job/job.js';

/** Larger than any difference of two instants that matters, and added to one still exact. */
const aheadMs = 1e15;

/**
 * The order of waiting jobs (P26): requeued ones first; then by rank, lowest first; then by submission; then by id. A step of
 * priority counts as much as `ageingMs` of waiting. All jobs age alike, so their order never changes while they wait, and the
 * rank is a constant: the instant of submission, earlier by what the priority is worth.
 *
 * @returns milliseconds; for a requeued job reduced by more than any other rank can be
 */
export const waitingRank = (
  job: { readonly submittedAt: Instant; readonly priority: number },
  isRequeued: boolean,
  ageingMs: number,
): number => job.submittedAt - job.priority * ageingMs - (isRequeued ? aheadMs : 0);

/** Negative if `one` comes first. Zero for a job and itself alone. */
export const compareWaiting = (one: LiveJob, other: LiveJob): number => {
  if (one.rank !== other.rank) return one.rank - other.rank;
  if (one.submittedAt !== other.submittedAt) return one.submittedAt - other.submittedAt;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
};
