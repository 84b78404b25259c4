/** Limits of a day in UTC; an absent field has no limit. */
export interface DailyBudgetConfig {
  /** Input and output tokens of models. */
  readonly maxTokensPerDay?: number;
  /** In the currency of `agent.prices`, which it needs. */
  readonly maxCostPerDay?: number;
  /** Calls that run, by models, scripts and clients. */
  readonly maxToolCallsPerDay?: number;
  /** Milliseconds that runs of agents work. */
  readonly maxTimeMsPerDay?: number;
}

/** Budgets that all runs and all servers with the same state store share. */
export interface SharedBudgetsConfig {
  /** All runs together. */
  readonly server?: DailyBudgetConfig;
  /** Each principal. */
  readonly perPrincipal?: DailyBudgetConfig;
  /** Single principals: their fields replace those of `perPrincipal`. */
  readonly principals?: Readonly<Record<string, DailyBudgetConfig>>;
  /** Each agent by name, for all principals together; `*` for every agent that is not named. */
  readonly perAgent?: Readonly<Record<string, DailyBudgetConfig>>;
}
