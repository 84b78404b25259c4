/** Text that a user adds to the conversation of a live run. */
export interface NewRunInput {
  /** Unique within its run; an input that is sent twice is added once. */
  readonly id: string;
  readonly runId: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Stored input of a run. It never changes. */
export interface RunInput extends NewRunInput {
  /** Grows with each input of the store. */
  readonly number: number;
}

/** Limit of the inputs of a run that it has not read. */
export interface RunInputLimit {
  /** Number of the last input that the run is known to have read; 0 for none. */
  readonly read: number;
  /** Most inputs with a higher number that the run may have. */
  readonly maxWaiting: number;
}

/** Inputs of live runs, until the run is removed. Its conversation says which of them the run has read. */
export interface RunInputStore {
  /**
   * Adds an input and returns it. If the run has one with this id, it returns that one and adds nothing. Returns `undefined` if the
   * run has ended or does not exist. An input that was added is never missed by a `RunTransition` with `inputsRead`.
   * @throws KernelError `E_BUSY` if the run has as many waiting inputs as `limit` allows, also with several processes at once
   */
  add(input: NewRunInput, limit?: RunInputLimit): Promise<RunInput | undefined>;
  /** Returns inputs of a run with a number above `after`, oldest first, at most 1,000. */
  list(runId: string, after?: number): Promise<readonly RunInput[]>;
}
