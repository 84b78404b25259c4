import type { BudgetAccount, BudgetAmounts, BudgetClaim, BudgetScope, Principal } from '@ravi/kernel';

/** Limits of a day in UTC. Absent means unlimited. */
export interface DailyLimits {
  /** Input and output tokens of models. */
  readonly maxTokensPerDay?: number;
  /** In the currency of the price table. A model without a price is refused. */
  readonly maxCostPerDay?: number;
  /** Calls that run, by models, by scripts and by clients. */
  readonly maxToolCallsPerDay?: number;
  /** Milliseconds that runs of agents work, including waits for approvals; pauses do not count. */
  readonly maxTimeMsPerDay?: number;
}

/** Limits that many runs share. Every limit that concerns a run holds for it. */
export interface SharedLimits {
  /** All runs together. */
  readonly server?: DailyLimits;
  /** Each principal. */
  readonly perPrincipal?: DailyLimits;
  /** Single principals: their fields replace those of `perPrincipal`. */
  readonly principals?: Readonly<Record<Principal, DailyLimits>>;
  /** Each agent by name, for all principals together; `*` for every agent that is not named. */
  readonly perAgent?: Readonly<Record<string, DailyLimits>>;
}

/** Amounts in the order in which they are shown. */
const amountNames: readonly (keyof BudgetAmounts)[] = ['tokens', 'cost', 'toolCalls', 'timeMs'];

const fields = {
  tokens: 'maxTokensPerDay',
  cost: 'maxCostPerDay',
  toolCalls: 'maxToolCallsPerDay',
  timeMs: 'maxTimeMsPerDay',
} as const satisfies Readonly<Record<keyof BudgetAmounts, keyof DailyLimits>>;

/** Returns the accounts of a run that have limits. `agent` is absent for calls of scripts and clients without an agent. */
export function claimsOf(limits: SharedLimits, principal: Principal, agent?: string): readonly BudgetClaim[] {
  const accounts: readonly BudgetAccount[] = [
    { scope: 'server', name: '' },
    { scope: 'principal', name: principal },
    ...(agent === undefined ? [] : [{ scope: 'agent', name: agent } as const]),
  ];
  return accounts.flatMap((account) => {
    const claim = { ...account, limits: limitsOf(limits, account) };
    return Object.keys(claim.limits).length === 0 ? [] : [claim];
  });
}

/** Returns the limits of one account. */
export function limitsOf(limits: SharedLimits, { scope, name }: BudgetAccount): Partial<BudgetAmounts> {
  const daily = dailyOf(limits, scope, name);
  const own: { -readonly [Amount in keyof BudgetAmounts]?: number } = {};
  for (const amount of amountNames) {
    const { [fields[amount]]: limit } = daily;
    if (limit !== undefined) own[amount] = limit;
  }
  return own;
}

/** Returns the field that sets a limit, as in a configuration, for messages. */
export function limitField(limits: SharedLimits, { scope, name }: BudgetAccount, amount: keyof BudgetAmounts): string {
  const { [amount]: field } = fields;
  if (scope === 'server') return `server.${field}`;
  if (scope === 'agent') return `perAgent.${own(limits.perAgent, name) === undefined ? '*' : name}.${field}`;
  return own(limits.principals, name)?.[field] === undefined ? `perPrincipal.${field}` : `principals.${name}.${field}`;
}

function dailyOf(limits: SharedLimits, scope: BudgetScope, name: string): DailyLimits {
  if (scope === 'server') return limits.server ?? {};
  if (scope === 'agent') return own(limits.perAgent, name) ?? own(limits.perAgent, '*') ?? {};
  return { ...limits.perPrincipal, ...own(limits.principals, name) };
}

// A principal may be called `constructor`.
function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
