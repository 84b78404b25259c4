/** Uses of an allowance, which have already happened. */
export interface RateCharge {
  /** Name of the limit: 1 to 64 lower-case letters, digits and hyphens. */
  readonly limit: string;
  /** Whom the limit holds for; any text. */
  readonly client: string;
  /** Uses since the last charge, a positive integer. */
  readonly amount: number;
  /** Size of a full allowance, a positive number. An empty one refills evenly within a minute. */
  readonly perMinute: number;
}

/**
 * Allowances that several processes use up together: a token bucket for each limit and client. The time is that of the storage.
 * A process counts its uses itself and charges them in blocks, so that not every use is a write. Charges survive the end of the
 * process, but not always a power failure.
 */
export interface RateStore {
  /**
   * Charges uses. Returns `undefined` while the client has at least one left, else the milliseconds until it has one. Uses beyond
   * the allowance are owed: they make the wait longer.
   */
  charge(charge: RateCharge): Promise<number | undefined>;
  /** Forgets clients whose allowance is full again. Returns how many these were. */
  removeFull(): Promise<number>;
}
