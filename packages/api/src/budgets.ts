import { json, operation } from './operation.ts';
import { page } from './page.ts';
import { enumOf, number, object, string } from './schema.ts';
import type { ValueOf } from './schema.ts';

/** A limit and how much of it is used. */
export const budgetSchema = object(
  {
    name: string(),
    scope: enumOf(['principal', 'run']),
    principal: string(),
    unit: enumOf(['tokens', 'cost', 'calls', 'milliseconds']),
    used: number(),
  },
  { runId: string(), limit: number() },
);

/** A limit and how much of it is used: by one run, or by all runs of a principal today. */
export type Budget = ValueOf<typeof budgetSchema>;

/** Operations on budgets. */
export const budgets = {
  list: operation({
    method: 'get',
    path: '/v1/budgets',
    summary: "List what the caller's runs used today, and the limits of running ones, or of the newest.",
    responses: { 200: json(page(budgetSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
} as const;
