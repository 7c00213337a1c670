/** Every bound of the embedded store, in one place. Bytes and counts are what a request may be, not what is advisable. */
export const limits = {
  /** One append, all its events together: data, metadata and type names. EventStoreDB's own default. */
  appendBytesMax: 1_048_576,
  /** One gRPC message. The official client cuts batch appends into messages of 3 MiB. */
  messageBytesMax: 16 * 1_048_576,
  streamNameBytesMax: 1_024,
  eventTypeBytesMax: 1_024,
  /** Events written in one transaction, so that a flood of appends cannot starve reads and heartbeats. */
  groupEventsMax: 5_000,
  groupBytesMax: 8 * 1_048_576,
  /** Bytes of appends that may wait for the next transaction before a call is told to slow down. */
  queuedBytesMax: 32 * 1_048_576,
  /** Events read from the file in one go. Between pages other work gets its turn, and the reader decodes what it has. */
  pageEventsMax: 100,
  pageBytesMax: 262_144,
  /** Events that a filtered subscription looks at for each unit of its checkpoint interval, if it names no number. */
  searchWindowDefault: 32,
  /** Encoded events are handed to gRPC in groups of this size, which holds up to 16 groups for a slow reader. */
  messageGroupBytes: 16_384,
  /** A group from this size on is waited for until the socket has taken it, so that a slow reader holds one, not 16. */
  largeGroupBytes: 65_536,
  /** A live subscriber that is further behind than this is told that it fell behind, and when it has caught up. */
  liveBacklogEventsMax: 1_000,
  /** Ids kept to recognise repeated appends that expect no exact revision. */
  recentIdsMax: 20_000,
  /** Streams whose last revision and metadata are kept in memory. */
  cachedStreamsMax: 10_000,
  /** Open sockets, half-open ones included. */
  connectionsMax: 1_000,
  /** A socket that has not begun to speak HTTP/2 by then is closed. */
  handshakeMs: 10_000,
  /** A connection without calls is closed after this. The official client reconnects by itself. */
  idleConnectionMs: 30 * 60_000,
  /** How long calls under way may take to finish once the store was asked to stop. */
  stopGraceMs: 2_000,
  /** Appends of one batch call whose first messages have come and the last has not. */
  unfinishedAppendsMax: 1_000,
  /** The messages that those came in. */
  unfinishedBytesMax: 32 * 1_048_576,
  /** Appends of one batch call that wait for their transaction. */
  appendsUnderWayMax: 2_000,
  /** Length of `sockaddr_un.sun_path` on Linux, less the closing zero. */
  socketPathBytesMax: 107,
  /** Between two rounds in which hidden events are erased. */
  scavengeIntervalMs: 60 * 60_000,
  /** Events erased in one transaction. */
  scavengeEventsMax: 2_000,
  /** Pages of the write-ahead log after which it is copied into the file: 16 MiB. */
  checkpointPages: 4_096,
  /** Pages after which a copy for which there was no room is tried again. */
  checkpointRetryPages: 256,
  /** A file up to this size is checked page by page at start; a larger one by its newest events only. */
  fullCheckBytesMax: 64 * 1_048_576,
  /** Newest events whose checksums are verified at every start. */
  checkedEventsCount: 1_000,
} as const;
