import type { JsonSchema } from '@ravi/kernel';

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
