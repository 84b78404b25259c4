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

/** Inputs of live runs, until the run is removed. Its conversation says which of them the run has read. */
export interface RunInputStore {
  /**
   * Adds an input and returns it. If the run has one with this id, it returns that one and adds nothing. Returns `undefined` if the
   * run has ended or does not exist. An input that was added is never missed by a `RunTransition` with `inputsRead`.
   */
  add(input: NewRunInput): Promise<RunInput | undefined>;
  /** Returns inputs of a run with a number above `after`, oldest first, at most 1,000. */
  list(runId: string, after?: number): Promise<readonly RunInput[]>;
}
