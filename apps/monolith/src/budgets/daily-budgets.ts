import { limitField, limitsOf } from '@ravi/agents';
import type { SharedBudgets, SharedLimits } from '@ravi/agents';
import type { Budget } from '@ravi/api';
import type { BudgetAccount, BudgetAmounts, Principal } from '@ravi/kernel';

/** Options of {@link dailyBudgets}. */
export interface DailyBudgetsOptions {
  readonly shared: SharedBudgets;
  readonly limits: SharedLimits;
  readonly principal: Principal;
  /** True to see the budgets of the server, of agents and of all principals. */
  readonly isAdmin: boolean;
}

const units = {
  tokens: 'tokens',
  cost: 'cost',
  toolCalls: 'calls',
  timeMs: 'milliseconds',
} as const satisfies Readonly<Record<keyof BudgetAmounts, Budget['unit']>>;

const nothing: BudgetAmounts = { tokens: 0, cost: 0, toolCalls: 0, timeMs: 0 };

/** Returns the budgets of the day that a caller may see, each with its usage. */
export async function dailyBudgets({
  shared,
  limits,
  principal,
  isAdmin,
}: DailyBudgetsOptions): Promise<readonly Budget[]> {
  const own: BudgetAccount = { scope: 'principal', name: principal };
  const usage = await shared.usage(isAdmin ? undefined : [{ ...own, limits: {} }]);
  const agents = Object.keys(limits.perAgent ?? {}).filter((name) => name !== '*');
  const always: readonly BudgetAccount[] = isAdmin
    ? [{ scope: 'server', name: '' }, own, ...agents.map((name) => ({ scope: 'agent', name }) as const)]
    : [own];
  const others = usage.filter((each) => !always.some((account) => isSame(account, each)));
  const resetsAt = new Date(shared.period().end).toISOString();
  return [...always, ...others].flatMap((account) => {
    const { used, reserved } = usage.find((each) => isSame(account, each)) ?? { used: nothing, reserved: nothing };
    const amounts = Object.entries(limitsOf(limits, account)) as readonly [keyof BudgetAmounts, number][];
    return amounts.map(([amount, limit]) => ({
      scope: account.scope,
      principal: account.scope === 'principal' ? account.name : '',
      ...(account.scope === 'agent' ? { agent: account.name } : {}),
      name: nameOf(account, limitField(limits, account, amount)),
      unit: units[amount],
      used: used[amount],
      reserved: reserved[amount],
      limit,
      resetsAt,
    }));
  });
}

function nameOf({ scope, name }: BudgetAccount, field: string): string {
  return scope === 'server' ? `Today, all runs (${field})` : `Today, ${scope} ${name} (${field})`;
}

function isSame(left: BudgetAccount, right: BudgetAccount): boolean {
  return left.scope === right.scope && left.name === right.name;
}
