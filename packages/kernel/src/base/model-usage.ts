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

/** Request to a model that a tool made, reported through `context.usedModel`. */
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
