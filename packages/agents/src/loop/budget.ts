import type { Clock, ModelUsage } from '@ravi/kernel';
import { costOf } from './usage.ts';
import type { PriceTable } from './usage.ts';

/** What a run and all agents under it may use together. Absent means no bound. */
export interface BudgetLimits {
  /** Input and output of models. */
  readonly maxTokens?: number;
  /** In the currency of the price table. A model without a price is then refused. */
  readonly maxCost?: number;
  /** Attempts of the model; calls inside of scripts count against the policy of their session instead. */
  readonly maxToolCalls?: number;
  /** Milliseconds that the run goes on, humans that it waits for included; a pause, or the time without a process, is none of it. */
  readonly maxTimeMs?: number;
}

/** What was used so far. */
export interface BudgetSpent {
  readonly tokens: number;
  /** In the currency of the price table; 0 without one. */
  readonly cost: number;
  readonly toolCalls: number;
  readonly timeMs: number;
}

/** At the beginning. */
export const nothingSpent: BudgetSpent = { tokens: 0, cost: 0, toolCalls: 0, timeMs: 0 };

/** Tokens and money set aside for one answer. */
export interface Reservation {
  /** Puts what was really used in place of the estimate. Idempotent. */
  settle(usage: ModelUsage, model?: string): void;
}

/** What a {@link Budget} is made of. */
export interface BudgetOptions {
  readonly limits: BudgetLimits;
  /** Whether they are those of one run, beside its agent's. */
  readonly isOfRun?: boolean;
  readonly prices?: PriceTable;
  readonly clock: Clock;
  /** Everything used here is used there too, and its limits hold here. */
  readonly parent?: Budget | undefined;
}

/**
 * The meter of a run. Before an answer is asked for, its estimated tokens and money are reserved here and in every budget
 * above, in one step, so that agents that run at once cannot each spend what is left once; afterwards the estimate gives
 * way to the truth.
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

  constructor({ limits, isOfRun = false, prices, clock, parent }: BudgetOptions) {
    this.#limits = limits;
    this.#isOfRun = isOfRun;
    this.#prices = prices ?? (parent === undefined ? undefined : parent.#prices);
    this.#clock = clock;
    this.#parent = parent;
    this.#startedAt = clock.monotonic();
  }

  /** The bounds of one run, beside its agent's. */
  get ownLimits(): BudgetLimits | undefined {
    return this.#isOfRun ? this.#limits : undefined;
  }

  get spent(): BudgetSpent {
    const timeMs = this.#clock.monotonic() - this.#startedAt;
    return { tokens: this.#tokens, cost: this.#cost, toolCalls: this.#toolCalls, timeMs };
  }

  /** Milliseconds that are left, here and above; `undefined` without a bound. */
  get remainingMs(): number | undefined {
    const { maxTimeMs } = this.#limits;
    const above = this.#parent?.remainingMs;
    if (maxTimeMs === undefined) return above;
    const own = Math.max(0, this.#startedAt + maxTimeMs - this.#clock.monotonic());
    return above === undefined ? own : Math.min(own, above);
  }

  /** Sets the estimate aside, or says in one sentence which bound does not allow it. */
  reserve(estimate: ModelUsage, model: string): Reservation | string {
    const breach = this.#breachOf(estimate, model);
    if (breach !== undefined) return breach;
    this.#add(estimate, model, 1);
    let isSettled = false;
    return {
      settle: (usage, answeredBy = model) => {
        if (isSettled) return;
        isSettled = true;
        this.#add(estimate, model, -1);
        this.#add(usage, model, 1, answeredBy);
      },
    };
  }

  /** Counts what was used before: `spent`, and `usage` after it. */
  charge(spent: BudgetSpent, usage: ModelUsage, model: string): void {
    this.#add(usage, model, 1);
    for (const budget of this.#chain()) {
      budget.#tokens += spent.tokens;
      budget.#cost += spent.cost;
      budget.#toolCalls += spent.toolCalls;
      budget.#startedAt -= spent.timeMs;
    }
  }

  /** Counts one call, or says which bound does not allow it. */
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
        return `The budget of ${maxTokens} tokens (maxTokens) does not allow another answer: ${budget.#tokens} are used or reserved, about ${tokens} are needed`;
      }
      if (maxCost === undefined) continue;
      const cost = costOf(budget.#prices, model, estimate);
      if (cost === undefined) return `The price table has no price for the model ${model}, and maxCost is set`;
      if (budget.#cost + cost > maxCost) {
        return `The budget of ${maxCost} (maxCost) does not allow another answer: ${budget.#cost.toFixed(4)} is used or reserved, about ${cost.toFixed(4)} is needed`;
      }
    }
    return undefined;
  }

  // Each budget counts by its own table, which may know the name that answers go by, or only the one that was asked for.
  #add(usage: ModelUsage, model: string, sign: 1 | -1, answeredBy = model): void {
    for (const budget of this.#chain()) {
      budget.#tokens += sign * tokensOf(usage);
      budget.#cost += sign * (costOf(budget.#prices, answeredBy, usage) ?? costOf(budget.#prices, model, usage) ?? 0);
    }
  }

  *#chain(): Iterable<Budget> {
    for (let budget: Budget | undefined = this; budget !== undefined; budget = budget.#parent) yield budget;
  }
}

function tokensOf({ inputTokens, outputTokens }: ModelUsage): number {
  return inputTokens + outputTokens;
}
