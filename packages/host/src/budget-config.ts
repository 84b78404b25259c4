import type { JsonSchema } from '@ravi/kernel';

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

const dailyFields: Readonly<Record<string, JsonSchema>> = {
  maxTokensPerDay: { type: 'integer', minimum: 1, description: 'Input and output tokens of models.' },
  maxCostPerDay: {
    type: 'number',
    exclusiveMinimum: 0,
    description: 'In the currency of "agent.prices", which must have a price for each model.',
  },
  maxToolCallsPerDay: {
    type: 'integer',
    minimum: 1,
    description: 'Tool calls that run, by models, scripts and clients.',
  },
  maxTimeMsPerDay: {
    type: 'integer',
    minimum: 1,
    description:
      'Milliseconds that runs of agents work, including waits for people in memory. Checked before each request to a model.',
  },
};

function daily(description: string): JsonSchema {
  return { type: 'object', additionalProperties: false, minProperties: 1, description, properties: dailyFields };
}

/** Key of a configuration about budgets of a day. */
export const budgetProperties: Readonly<Record<string, JsonSchema>> = {
  budgets: {
    type: 'object',
    additionalProperties: false,
    default: {},
    description:
      'Limits of a day, from midnight to midnight in UTC, that all runs share, also those of other servers with the same state store. Every limit that concerns a run holds for it.',
    properties: {
      server: daily('All runs together.'),
      perPrincipal: daily('Each principal.'),
      principals: {
        type: 'object',
        additionalProperties: daily('Limits of this principal.'),
        description: 'Single principals by name: their limits replace those of "perPrincipal".',
      },
      perAgent: {
        type: 'object',
        additionalProperties: daily('Limits of this agent.'),
        description: 'Agents by name, for all principals together; "*" is every agent that is not named.',
      },
    },
  },
};
