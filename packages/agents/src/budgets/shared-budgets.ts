import type { CallSpender, CallSpending } from '@ravi/invoker';
import { isKernelError, KernelError } from '@ravi/kernel';
import type {
  BudgetAmounts,
  BudgetClaim,
  BudgetRefusal,
  BudgetStore,
  BudgetUsage,
  Clock,
  Logger,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  ModelUsage,
  Principal,
} from '@ravi/kernel';
import { errorText, randomId, ReceivedUsage } from '@ravi/support';
import { budgetExceeded } from '../agent/budget.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import type { AgentMiddleware } from '../agent/middleware.ts';
import { costOf } from '../agent/usage.ts';
import type { PriceTable } from '../agent/usage.ts';
import { AgentRun } from '../loop/agent-run.ts';
import { claimsOf, limitField } from './shared-limits.ts';
import type { SharedLimits } from './shared-limits.ts';

/** Options of {@link createSharedBudgets}. */
export interface SharedBudgetsOptions {
  readonly store: BudgetStore;
  /** Read at each use, so that it may change. */
  readonly limits: SharedLimits;
  /** Needed by limits on the cost. Read at each use. */
  readonly prices?: PriceTable | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Budgets of a day that all runs of all processes with the same state store share. */
export interface SharedBudgets {
  /** Give it to each agent, first: reserves each request to a model before it is sent, and ends a run whose budget is used up. */
  readonly middleware: AgentMiddleware;
  /** Give it to the invoker: counts each call before it runs. */
  readonly spending: CallSpending;
  /**
   * Call it before a run starts: for an agent every limit counts, for a script those on calls.
   * @throws KernelError `E_BUDGET_EXHAUSTED` with the time until the budgets reset, if nothing is left
   */
  admit(principal: Principal, agent?: string): Promise<void>;
  /** Start and end of the current day. Milliseconds since the Unix epoch. */
  period(): { readonly start: number; readonly end: number };
  /** Returns the usage of the current day: of these accounts, or of all. */
  usage(accounts?: readonly BudgetClaim[]): Promise<readonly BudgetUsage[]>;
}

const dayMs = 86_400_000;
/** Longest time for which a process that was killed keeps what it reserved. */
const reservedMs = 600_000;
const maxRefusedRuns = 10_000;

/** Creates budgets over a store. Nothing is stored for a run that no limit concerns. */
export function createSharedBudgets(options: SharedBudgetsOptions): SharedBudgets {
  const { store, clock, logger } = options;
  /** Runs of agents with a call that was refused, and the reason. */
  const refused = new Map<string, string>();
  /** Monotonic time up to which the work of a run is counted. */
  const countedUntil = new WeakMap<AgentContext, number>();

  function period(): { readonly start: number; readonly end: number } {
    const start = Math.floor(clock.now() / dayMs) * dayMs;
    return { start, end: start + dayMs };
  }

  function messageOf(refusal: BudgetRefusal): string {
    const { amount, limit, used, reserved, requested } = refusal;
    const field = `budgets.${limitField(options.limits, refusal, amount)}`;
    const whose =
      refusal.scope === 'server' ? 'all runs' : `the ${refusal.scope} ${JSON.stringify(refusal.name.slice(0, 80))}`;
    const also = reserved > 0 ? ` and ${shown(amount, reserved)} reserved` : '';
    const needed = requested > 0 && amount !== 'toolCalls' ? `, about ${shown(amount, requested)} are needed` : '';
    const resets = new Date(period().end).toISOString();
    return `The budget of ${shown(amount, limit)} per day for ${whose} (${field}) is used up: ${shown(amount, used)} used${also}${needed}. It resets at ${resets}`;
  }

  async function countCall({ runId, agent }: CallSpender, claims: readonly BudgetClaim[]): Promise<string | undefined> {
    const amounts = { toolCalls: 1 };
    const refusal = await store.spend({ period: period().start, claims, amounts, now: clock.now() });
    if (refusal === undefined) return undefined;
    const message = messageOf(refusal);
    if (agent !== undefined) {
      if (refused.size >= maxRefusedRuns) refused.clear();
      refused.set(runId, message);
    }
    return message;
  }

  async function reserve(claims: readonly BudgetClaim[], amounts: Partial<BudgetAmounts>): Promise<Reserved> {
    const id = randomId('reserved');
    const now = clock.now();
    const request = { id, period: period().start, claims, amounts, now, expiresAt: now + reservedMs };
    const refusal = await store.reserve(request);
    return refusal === undefined ? { id } : { refusal };
  }

  async function settle(id: string, used: Partial<BudgetAmounts>): Promise<void> {
    try {
      await store.settle(id, storable(used));
    } catch (error) {
      // The reservation counts until it expires.
      logger.error('the usage of a request could not be stored', { reservation: id, ...used, error: errorText(error) });
    }
  }

  async function* ask(
    run: AgentRun,
    request: ModelRequest,
    claims: readonly BudgetClaim[],
    next: (request: ModelRequest) => AsyncIterable<ModelEvent>,
  ): AsyncGenerator<ModelEvent> {
    const model = request.model ?? pricedName(run.definition.model, options.prices);
    const estimate = run.conversation.estimate.of(request);
    const cost = costOf(options.prices, model, estimate);
    if (cost === undefined && claims.some((claim) => claim.limits.cost !== undefined)) {
      return yield end(run, noPrice(model));
    }
    const started = countedUntil.get(run) ?? clock.monotonic();
    const amounts = { tokens: estimate.inputTokens + estimate.outputTokens, cost: cost ?? 0, timeMs: 0 };
    let reserved: Reserved;
    try {
      reserved = await reserve(claims, amounts);
    } catch (error) {
      const code = isKernelError(error) ? error.code : 'E_INTERNAL';
      const message = `The request could not be counted in its budgets: ${errorText(error)}`;
      const retryable = isKernelError(error) && error.retryable;
      return yield { type: 'error', error: { code, message, retryable } };
    }
    if ('refusal' in reserved) return yield end(run, messageOf(reserved.refusal));
    const { id } = reserved;

    const received = new ReceivedUsage();
    let respondedBy = model;
    let isSettled = false;
    const settleOnce = async (): Promise<void> => {
      if (isSettled) return;
      isSettled = true;
      const actual = received.atLeast(estimate.inputTokens);
      const until = clock.monotonic();
      countedUntil.set(run, until);
      await settle(id, {
        tokens: actual.inputTokens + actual.outputTokens,
        cost: costOf(options.prices, respondedBy, actual) ?? costOf(options.prices, model, actual) ?? 0,
        timeMs: until - started,
      });
    };
    try {
      for await (const event of next(request)) {
        received.add(event);
        if (event.type === 'finish') {
          respondedBy = event.model ?? model;
          await settleOnce();
        }
        yield event;
      }
    } finally {
      await settleOnce();
    }
  }

  async function* refuse(run: AgentRun, message: string): AsyncGenerator<ModelEvent> {
    yield end(run, message);
  }

  return {
    period,
    usage: (accounts) => store.usage(period().start, { now: clock.now(), ...(accounts && { accounts }) }),

    middleware: {
      model(request, next, context) {
        if (!(context instanceof AgentRun)) throw new TypeError('Expected the run of a ReActAgent');
        const reason = refused.get(context.runId);
        refused.delete(context.runId);
        if (reason !== undefined) return refuse(context, reason);
        const claims = claimsOf(options.limits, context.principal, context.agent);
        return claims.length === 0 ? next(request) : ask(context, request, claims, next);
      },
    },

    spending: {
      call(spender) {
        const { principal, agent } = spender;
        const claims = claimsOf(options.limits, principal, agent).filter(
          (claim) => claim.limits.toolCalls !== undefined,
        );
        return claims.length === 0 ? undefined : countCall(spender, claims);
      },

      async reserveModel({ principal, agent }, { provider, model, usage }) {
        const claims = claimsOf(options.limits, principal, agent);
        if (claims.length === 0) return undefined;
        const amountsOf = (used: ModelUsage, by: string): Pick<BudgetAmounts, 'tokens' | 'cost'> | undefined => {
          const cost = costOf(options.prices, by, used) ?? costOf(options.prices, provider, used);
          const isMissing = cost === undefined && claims.some((claim) => claim.limits.cost !== undefined);
          return isMissing ? undefined : { tokens: used.inputTokens + used.outputTokens, cost: cost ?? 0 };
        };
        const amounts = amountsOf(usage, model);
        if (amounts === undefined) return noPrice(model);
        const reserved = await reserve(claims, amounts);
        if ('refusal' in reserved) return messageOf(reserved.refusal);
        const nothing = { tokens: 0, cost: 0 };
        return {
          settle: (use) =>
            void settle(reserved.id, use.usage === undefined ? nothing : (amountsOf(use.usage, use.model) ?? nothing)),
        };
      },
    },

    async admit(principal, agent) {
      const claims = claimsOf(options.limits, principal, agent);
      const counted =
        agent === undefined ? (['toolCalls'] as const) : (['tokens', 'cost', 'toolCalls', 'timeMs'] as const);
      if (!claims.some((claim) => counted.some((amount) => claim.limits[amount] !== undefined))) return;
      const { start, end: resetsAt } = period();
      const usage = await store.usage(start, { now: clock.now(), accounts: claims });
      for (const { scope, name, limits: own } of claims) {
        const found = usage.find((each) => each.scope === scope && each.name === name);
        if (found === undefined) continue;
        for (const amount of counted) {
          const { [amount]: limit } = own;
          const { [amount]: used } = found.used;
          const { [amount]: reserved } = found.reserved;
          if (limit === undefined || used < limit) continue;
          const message = messageOf({ scope, name, amount, limit, used, reserved, requested: 0 });
          throw new KernelError('E_BUDGET_EXHAUSTED', message, { retryAfterMs: resetsAt - clock.now() });
        }
      }
    },
  };
}

/** Id of a reservation, or the reason why there is none. */
type Reserved = { readonly id: string } | { readonly refusal: BudgetRefusal };

// A provider may count more than a store can add. That uses the budget up; if it were refused, the request would cost nothing.
function storable(used: Partial<BudgetAmounts>): Partial<BudgetAmounts> {
  const amounts = Object.entries(used).map(([amount, value]) => [amount, Math.min(value, Number.MAX_SAFE_INTEGER)]);
  return Object.fromEntries(amounts) as Partial<BudgetAmounts>;
}

function noPrice(model: string): string {
  return `The price table has no price for the model ${model}, and the cost of a day is limited`;
}

function end(run: AgentRun, message: string): ModelEvent {
  const ending = budgetExceeded(message);
  run.end(ending);
  return { type: 'error', error: { code: 'E_BUDGET_EXHAUSTED', message, retryable: false } };
}

function pricedName({ id, model }: ModelProvider, prices: PriceTable | undefined): string {
  return model !== undefined && (prices === undefined || Object.hasOwn(prices, model)) ? model : id;
}

function shown(amount: keyof BudgetAmounts, value: number): string {
  if (amount === 'tokens') return `${value} tokens`;
  if (amount === 'toolCalls') return `${value} tool calls`;
  return amount === 'cost' ? value.toFixed(4).replace(/\.?0+$/, '') : `${Math.round(value)} ms`;
}
