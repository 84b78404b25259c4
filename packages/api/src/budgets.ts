import { json, operation } from './operation.ts';
import { page } from './page.ts';
import { enumOf, number, object, string } from './schema.ts';
import type { ValueOf } from './schema.ts';

/** A limit and how much of it is used. */
export const budgetSchema = object(
  {
    name: string(),
    scope: enumOf(['server', 'principal', 'agent', 'run']),
    principal: string({ description: 'Owner of the run or the budget; empty for those of the server and of agents.' }),
    unit: enumOf(['tokens', 'cost', 'calls', 'milliseconds']),
    used: number(),
  },
  {
    runId: string(),
    agent: string(),
    limit: number(),
    reserved: number({
      description: 'Amount of requests to models that have no answer yet; part of a budget of the day.',
    }),
    resetsAt: string({ description: 'End of the day in UTC, if the budget is one of the day.' }),
  },
);

/** A limit and how much of it is used: by one run, or today by all runs of a principal, of an agent or of the server. */
export type Budget = ValueOf<typeof budgetSchema>;

/** Operations on budgets. */
export const budgets = {
  list: operation({
    method: 'get',
    path: '/v1/budgets',
    summary:
      "List the budgets of the day, what the caller's runs used today, and the limits of running ones, or of the newest. Only admins see the budgets of the server, of agents and of other principals.",
    responses: { 200: json(page(budgetSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
} as const;
