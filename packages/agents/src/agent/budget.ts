import type { Clock, ModelUsage } from '@ravi/kernel';
import type { AgentEnding } from './agent-result.ts';
import { costOf } from './usage.ts';
import type { PriceTable } from './usage.ts';

/** Limits of a run and all its sub-agents together. Absent means unlimited. */
export interface BudgetLimits {
  /** Input and output tokens of models. */
  readonly maxTokens?: number;
  /** In the currency of the price table. A model without a price is refused. */
  readonly maxCost?: number;
  /** Calls that the model attempts; calls inside scripts count against the policy of their session instead. */
  readonly maxToolCalls?: number;
  /** Milliseconds that the run works, including waits for approvals; pauses and the time without a process do not count. */
  readonly maxTimeMs?: number;
}

/** Amounts used so far. */
export interface BudgetSpent {
  readonly tokens: number;
  /** In the currency of the price table; 0 without one. */
  readonly cost: number;
  readonly toolCalls: number;
  readonly timeMs: number;
}

/** Amounts used by a new run. */
export const nothingSpent: BudgetSpent = { tokens: 0, cost: 0, toolCalls: 0, timeMs: 0 };

/** Tokens and money that are reserved for one response. */
export interface Reservation {
  /** Replaces the estimate by the actual usage. Idempotent. */
  settle(usage: ModelUsage, model?: string): void;
}

/** Options of a {@link Budget}. */
export interface BudgetOptions {
  readonly limits: BudgetLimits;
  /** True for the limits of one run, in addition to those of its agent. */
  readonly isOfRun?: boolean;
  readonly prices?: PriceTable;
  readonly clock: Clock;
  /** Usage counts here and in the parent, and the limits of both apply. */
  readonly parent?: Budget | undefined;
  /** True for the budget of a sub-agent. */
  readonly isOfSubAgent?: boolean;
}

/**
 * Budget of a run. Before each request, its estimated tokens and money are reserved here and in every parent, in one
 * synchronous step, so that concurrent agents cannot spend the same remainder twice. The actual usage then replaces the
 * estimate.
 */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #isOfRun: boolean;
  readonly #prices: PriceTable | undefined;
  readonly #parent: Budget | undefined;
  readonly #clock: Clock;
  #startedAt: number;
  #tokens = 0;
  #cost = 0;
  #toolCalls = 0;
  /** Budgets of sub-agents that have not ended. */
  readonly #open = new Set<Budget>();

  constructor({ limits, isOfRun = false, prices, clock, parent, isOfSubAgent = false }: BudgetOptions) {
    this.#limits = limits;
    this.#isOfRun = isOfRun;
    this.#prices = prices ?? (parent === undefined ? undefined : parent.#prices);
    this.#clock = clock;
    this.#parent = parent;
    this.#startedAt = clock.monotonic();
    if (isOfSubAgent && parent !== undefined) parent.#open.add(this);
  }

  /** Ends the budget of a sub-agent: what it has spent belongs to the run above from now on. */
  close(): void {
    for (const budget of this.#chain()) {
      if (budget.#parent !== undefined && budget.#parent.#open.delete(budget)) return;
    }
  }

  /** Limits of one run; `undefined` for the limits of its agent. */
  get ownLimits(): BudgetLimits | undefined {
    return this.#isOfRun ? this.#limits : undefined;
  }

  get spent(): BudgetSpent {
    const timeMs = this.#clock.monotonic() - this.#startedAt;
    return { tokens: this.#tokens, cost: this.#cost, toolCalls: this.#toolCalls, timeMs };
  }

  /** Amounts used without those of sub-agents that have not ended, whose own records have them. */
  get settled(): BudgetSpent {
    const { timeMs, ...used } = this.spent;
    let { tokens, cost, toolCalls } = used;
    for (const { spent } of this.#open) {
      tokens -= spent.tokens;
      cost -= spent.cost;
      toolCalls -= spent.toolCalls;
    }
    return { tokens, cost, toolCalls, timeMs };
  }

  /** Milliseconds left here and in all parents; `undefined` without a time limit. */
  get remainingMs(): number | undefined {
    const { maxTimeMs } = this.#limits;
    const above = this.#parent?.remainingMs;
    if (maxTimeMs === undefined) return above;
    const own = Math.max(0, this.#startedAt + maxTimeMs - this.#clock.monotonic());
    return above === undefined ? own : Math.min(own, above);
  }

  /** Reserves the estimate, or returns a sentence that names the limit it would exceed. */
  reserve(estimate: ModelUsage, model: string): Reservation | string {
    const breach = this.#breachOf(estimate, model);
    if (breach !== undefined) return breach;
    this.#add(estimate, model, 1);
    let isSettled = false;
    return {
      settle: (usage, respondedBy = model) => {
        if (isSettled) return;
        isSettled = true;
        this.#add(estimate, model, -1);
        this.#add(usage, model, 1, respondedBy);
      },
    };
  }

  /** Adds what was used earlier: `spent`, and `usage` after it. The time counts only below `above`, because sub-agents work at once. */
  charge(spent: BudgetSpent, usage: ModelUsage, model: string, above?: Budget): void {
    this.#add(usage, model, 1);
    let isBelow = true;
    for (const budget of this.#chain()) {
      if (budget === above) isBelow = false;
      budget.#tokens += spent.tokens;
      budget.#cost += spent.cost;
      budget.#toolCalls += spent.toolCalls;
      if (isBelow) budget.#startedAt -= spent.timeMs;
    }
  }

  /** Counts one call, or returns a sentence that names the limit it would exceed. */
  countCall(): string | undefined {
    for (const budget of this.#chain()) {
      const { maxToolCalls } = budget.#limits;
      if (maxToolCalls !== undefined && budget.#toolCalls >= maxToolCalls) {
        return `The budget of ${maxToolCalls} tool calls (maxToolCalls) is used up`;
      }
    }
    for (const budget of this.#chain()) budget.#toolCalls++;
    return undefined;
  }

  #breachOf(estimate: ModelUsage, model: string): string | undefined {
    const tokens = tokensOf(estimate);
    for (const budget of this.#chain()) {
      const { maxTokens, maxCost, maxTimeMs } = budget.#limits;
      if (maxTimeMs !== undefined && budget.#clock.monotonic() - budget.#startedAt >= maxTimeMs) {
        return `The budget of ${maxTimeMs} ms (maxTimeMs) is used up`;
      }
      if (maxTokens !== undefined && budget.#tokens + tokens > maxTokens) {
        return `The budget of ${maxTokens} tokens (maxTokens) does not allow another response: ${budget.#tokens} are used or reserved, about ${tokens} are needed`;
      }
      if (maxCost === undefined) continue;
      const cost = costOf(budget.#prices, model, estimate);
      if (cost === undefined) return `The price table has no price for the model ${model}, and maxCost is set`;
      if (budget.#cost + cost > maxCost) {
        return `The budget of ${maxCost} (maxCost) does not allow another response: ${budget.#cost.toFixed(4)} is used or reserved, about ${cost.toFixed(4)} is needed`;
      }
    }
    return undefined;
  }

  // Each budget uses its own price table, which may list the model that responded, or only the requested one.
  #add(usage: ModelUsage, model: string, sign: 1 | -1, respondedBy = model): void {
    for (const budget of this.#chain()) {
      budget.#tokens += sign * tokensOf(usage);
      budget.#cost += sign * (costOf(budget.#prices, respondedBy, usage) ?? costOf(budget.#prices, model, usage) ?? 0);
    }
  }

  *#chain(): Iterable<Budget> {
    for (let budget: Budget | undefined = this; budget !== undefined; budget = budget.#parent) yield budget;
  }
}

/** Returns the ending of a run that has reached a limit of its budget; `message` names the limit. */
export function budgetExceeded(message: string): AgentEnding {
  return { status: 'stopped', reason: 'budget', error: { code: 'E_BUDGET_EXHAUSTED', message, retryable: false } };
}

function tokensOf({ inputTokens, outputTokens }: ModelUsage): number {
  return inputTokens + outputTokens;
}
