import { KernelError } from '@ravi/kernel';
import type { AgentRun } from './agent-run.ts';
import type { BudgetLimits, BudgetSpent } from './budget.ts';

/** The budget of a run that has stopped for now; JSON. */
export interface BudgetRecord {
  /** The bounds of this run alone, which hold beside those of its agent. */
  readonly limits?: BudgetLimits;
  /** By the run and all agents under it. */
  readonly spent: BudgetSpent;
}

/** How the budget of the run stands; `undefined` when it has none. */
export function budgetRecordOf({ budget }: AgentRun): BudgetRecord | undefined {
  if (budget === undefined) return undefined;
  const { ownLimits: limits, spent } = budget;
  return { ...(limits === undefined ? {} : { limits }), spent };
}

/** What was stored as the budget of a run. @throws KernelError `E_STATE_CORRUPT` */
export function readBudgetRecord(value: unknown): BudgetRecord | undefined {
  if (value === undefined) return undefined;
  const { limits, spent } = value as Partial<BudgetRecord>;
  const { tokens, cost, toolCalls, timeMs } = spent ?? ({} as Partial<BudgetSpent>);
  const bounds = limits === undefined ? [] : Object.values(limits as Readonly<Record<string, unknown>>);
  if (![tokens, cost, toolCalls, timeMs, ...bounds].every((figure) => typeof figure === 'number')) {
    throw new KernelError('E_STATE_CORRUPT', 'The budget of a run that goes on cannot be read');
  }
  return value as BudgetRecord;
}
