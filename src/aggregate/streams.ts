/** Everything that is decided, in one partition. */
export const trackerStreamOf = (partition: string): string => `tracker-${partition}`;

export const snapshotStreamOf = (partition: string): string => `trackersnapshot-${partition}`;
