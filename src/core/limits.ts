/** What there may be of everything, with the unit. Limits on encoded bytes are taken before an input is decided (P11). */
export const limits = {
  idCharactersMax: 200,
  kindCharactersMax: 200,
  nameCharactersMax: 500,
  reasonCharactersMax: 1_000,
  labelsMax: 64,
  tagsMax: 64,
  labelCharactersMax: 200,
  kindsPerNodeMax: 200,
  sizeMax: Number.MAX_SAFE_INTEGER,
  capacityMax: Number.MAX_SAFE_INTEGER,
  priorityMin: -100,
  priorityMax: 100,
  /** A node that holds so many gets no more, however much room it has: its hello must stay readable. */
  attemptsPerNodeMax: 16_384,
  /** Placements, or consequences of one hello, in one decision (P10). */
  eventsPerStepMax: 256,
  /** Finished jobs that one JobsForgotten takes out of memory. */
  forgottenPerStepMax: 4_096,
  /** Incarnations of one node that are remembered so that they are never accepted again (P20). */
  replacedIncarnationsMax: 1_000,
  /** Orphans of one node whose recorded end is remembered, so that it is not recorded again (P15). */
  lateReportsPerNodeMax: 1_000,
  progressMessageCharactersMax: 500,
} as const;
