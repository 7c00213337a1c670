/** Bounds of the tracker, each with its unit. */
export const trackerLimits = {
  /** One encoded event, in bytes (P11). */
  eventBytesMax: 512 * 1_024,
  /** The encoded events of one decision, and of one append, in bytes: the store refuses 1 MiB (P11). */
  groupBytesMax: 896 * 1_024,
  groupEventsMax: 4_096,
  /** Encoded payload, or result, in bytes. */
  payloadBytesMax: 256 * 1_024,
  checkpointBytesMax: 64 * 1_024,
  /** Commands that wait to be decided (P12). */
  commandsMax: 20_000,
  /** Payloads of the commands that wait, in bytes. */
  commandBytesMax: 512 * 1_024 * 1_024,
  /** Facts that wait to be integrated (P12). */
  factsMax: 100_000,
  /** Commands, and facts, that are taken between two steps of the pump. */
  inputsPerTurnMax: 256,
} as const;
