/** Token counts of one response. */
export interface ModelUsage {
  /** All input, including tokens read from or written to a cache. */
  readonly inputTokens: number;
  /** All output, including reasoning. */
  readonly outputTokens: number;
  /** Input tokens read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** Input tokens written to the provider's cache. */
  readonly cacheWriteTokens?: number;
  /** Output tokens used for reasoning. */
  readonly reasoningTokens?: number;
}

/** Request to a model that a tool made. */
export interface ModelUse {
  /** Id of the provider. */
  readonly provider: string;
  /** Requested model. */
  readonly model: string;
  /** Absent if the provider did not count. */
  readonly usage?: ModelUsage;
  /** Code of the error, if the model gave no answer. */
  readonly errorCode?: string;
}

/** Request to a model that a tool is about to make, with an estimate of its usage. */
export type PlannedModelUse = Required<Pick<ModelUse, 'provider' | 'model' | 'usage'>>;

/** Part of the budgets that is reserved for one request to a model. */
export interface ModelReservation {
  /** Replaces the estimate by what was used, and reports the request, so that the trace of the run has it. Only the first call counts. */
  settle(use: ModelUse): void;
}
