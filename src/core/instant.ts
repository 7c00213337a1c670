/**
 * Whole milliseconds since 1970 in effective time, the time in which everything is decided and recorded (P8). It never goes
 * back, and is not the wall clock: it enters with each input as one number.
 */
export type Instant = number;
