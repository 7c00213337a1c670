/** How the rules of placement look. */
export type PolicyName = 'late-binding' | 'early-binding';

/**
 * What decisions depend on besides the log. It is written into each TermStarted, so that a replay needs no configuration, and
 * two servers never decide by different settings. Durations in milliseconds.
 */
export interface Settings {
  readonly policy: PolicyName;
  /** Waiting so long counts as much as one step of priority. */
  readonly ageingMs: number;
  /** How long a job must have been larger than every node before it starts on a smaller one (P24). */
  readonly oversizedAfterMs: number;
  /** How long a node that is away still counts as one that may come back, for P24. */
  readonly awayNodeCountsMs: number;
  /** How long after the start of the term nobody is judged, and no oversized job starts (P19, P24). */
  readonly graceMs: number;
  /** A reservation is fixed after so long, and ten times the job's estimate (P25) … */
  readonly reservationFixedAfterMs: number;
  /** … but no later than after so long. */
  readonly reservationFixedAfterMaxMs: number;
  /** Finished jobs stay in memory so long … */
  readonly finishedKeptMs: number;
  /** … unless there are more of them than this. */
  readonly finishedKeptMax: number;
  /** A node that is lost or left is forgotten after so long. */
  readonly awayNodeKeptMs: number;
  /** Further submissions are refused. */
  readonly waitingJobsMax: number;
  /** Progress of an attempt is stored at most so often (P28). */
  readonly progressIntervalMs: number;
}

/** `graceMs` is reconnect window (0.5 s) and lost-after (15 s) of a cluster of up to 25 nodes. */
export const defaultSettings: Settings = {
  policy: 'late-binding',
  ageingMs: 10 * 60_000,
  oversizedAfterMs: 10_000,
  awayNodeCountsMs: 10 * 60_000,
  graceMs: 15_500,
  reservationFixedAfterMs: 12 * 3_600_000,
  reservationFixedAfterMaxMs: 24 * 3_600_000,
  finishedKeptMs: 10 * 60_000,
  finishedKeptMax: 100_000,
  awayNodeKeptMs: 24 * 3_600_000,
  waitingJobsMax: 1_000_000,
  progressIntervalMs: 2_000,
};
