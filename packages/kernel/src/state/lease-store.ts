/** Claim of a process to a lease. */
export interface LeaseClaim {
  /** Name of the process, unique to each start of it. */
  readonly owner: string;
  /** Milliseconds from now for which the lease lasts: a whole number from 1 to 86 400 000. */
  readonly forMs: number;
}

/**
 * Leases of an installation: of all processes that share the storage at most one has the lease of a name at a time. Only the clock of
 * the store counts, so that the clocks of processes do not matter.
 *
 * A process that stops for longer than its lease does not notice that another one has it. So a lease is for work that is wasteful
 * when it is done twice, not for work that must not be.
 */
export interface LeaseStore {
  /**
   * Takes a lease that no one has, or renews that of the same owner. Its end is then `forMs` from now, also if it was later before.
   * Returns `false` if another owner has it. Survives the end of the process, but not always a power failure.
   * @throws KernelError `E_STATE_INVALID` for a time out of bounds, and for a name or an owner that is not an id
   */
  acquire(name: string, claim: LeaseClaim): Promise<boolean>;
  /**
   * Ends a lease, so that another process need not wait for its time. Returns `false` if this owner does not have it, or no longer.
   */
  release(name: string, owner: string): Promise<boolean>;
}
