import { api } from '@ravi/api';
import type { Budget } from '@ravi/api';
import type { SharedBudgets } from '@ravi/agents';
import type { BudgetConfig, ResolvedConfig } from '@ravi/host';
import type { ChainPolicy, Clock, Principal, Run, RunStore } from '@ravi/kernel';
import { readPages } from '@ravi/support';
import type { AgentSet } from '../../agents/agent-set.ts';
import { implement, listOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { runDetails } from '../../runs/run-details.ts';
import { dailyBudgets } from '../../budgets/daily-budgets.ts';
import type { RunRecorder } from '../../runs/run-recorder.ts';

const dayMs = 86_400_000;
const pageSize = 100;
const maxRuns = 1_000;

/** Services of {@link budgetOperations}. */
export interface BudgetServices {
  /** Limits of the day; a field that is absent has none. */
  readonly config: Pick<ResolvedConfig, 'budgets'>;
  readonly agents: Pick<AgentSet, 'all'>;
  /** Limits on the calls of agent runs and of scripts. */
  readonly policy: Pick<ChainPolicy, 'maxToolCalls' | 'maxScriptCalls'>;
  readonly runs: RunStore;
  readonly recorder: Pick<RunRecorder, 'recordOf'>;
  /** Budgets of the day; `undefined` if there are none. */
  readonly shared: SharedBudgets | undefined;
  readonly clock: Clock;
}

/** Implements the operation on budgets: the limits of runs, and the usage of today. */
export function budgetOperations({
  config,
  agents,
  policy,
  runs: store,
  recorder,
  shared,
  clock,
}: BudgetServices): readonly Endpoint[] {
  const spentOf = createSpentOf(recorder);
  function budgetOf({ definition: { details } }: Run): BudgetConfig {
    const agent = details?.['agent'];
    return (typeof agent === 'string' ? agents.all.get(agent)?.entry.budget : undefined) ?? {};
  }

  /** Returns the runs since the last midnight in UTC, newest first, at most 1 000. */
  async function runsOfToday(principal: Principal): Promise<readonly Run[]> {
    const midnight = Math.floor(clock.now() / dayMs) * dayMs;
    const runs: Run[] = [];
    for await (const { items } of readPages((page) => store.list({ principal }, page), pageSize)) {
      const today = items.filter(({ createdAt }) => createdAt >= midnight);
      runs.push(...today.filter((run) => !isScriptOfAgent(run)));
      if (today.length < items.length || runs.length >= maxRuns) break;
    }
    return runs;
  }

  return [
    implement(api.budgets.list, async ({ caller: { principal, roles } }) => {
      const { budgets: limits } = config;
      const runs = await runsOfToday(principal);
      const spent: { readonly run: Run; readonly used: Spent }[] = [];
      // In sequence, because each reads a journal.
      for (const run of runs) spent.push({ run, used: await spentOf(run) });
      const live = spent.filter(({ run }) => run.outcome === undefined);
      const shown = live.length > 0 ? live : spent.slice(0, 1);
      const ofRuns = shown.flatMap(({ run, used }) =>
        runBudgets(run, used, { ...policy, budget: budgetOf(run), now: clock.now() }),
      );
      const isAdmin = roles.includes('admin');
      const daily = shared === undefined ? [] : await dailyBudgets({ shared, limits, principal, isAdmin });
      return listOf([
        ...daily,
        ...principalBudgets(
          principal,
          spent.map(({ used }) => used),
        ),
        ...ofRuns,
      ]);
    }),
  ];
}

// The events of its agent's run have its calls.
function isScriptOfAgent({ parentRunId, definition }: Run): boolean {
  return parentRunId !== undefined && definition.kind === 'chain';
}

function principalBudgets(principal: Principal, spent: readonly Spent[]): readonly Budget[] {
  const about = { scope: 'principal', principal } as const;
  const sum = (part: 'tokens' | 'modelCalls' | 'scriptCalls'): number =>
    spent.reduce((total, used) => total + used[part], 0);
  const costs = spent.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const money = {
    ...about,
    name: 'Cost today',
    unit: 'cost',
    used: costs.reduce((total, cost) => total + cost, 0),
  } as const;
  return [
    { ...about, name: 'Tokens today', unit: 'tokens', used: sum('tokens') },
    ...(costs.length === 0 ? [] : [money]),
    { ...about, name: 'Calls by models today', unit: 'calls', used: sum('modelCalls') },
    { ...about, name: 'Calls by scripts today', unit: 'calls', used: sum('scriptCalls') },
  ];
}

/** Limits of one run; a field that is absent has none. */
type Limits = BudgetServices['policy'] & { readonly budget: BudgetConfig; readonly now: number };

function runBudgets(run: Run, used: Spent, limits: Limits): readonly Budget[] {
  const { id: runId, principal, definition } = run;
  const about = { scope: 'run', principal, runId } as const;
  const bounds = definition.kind === 'agent' ? agentBounds(run, used, limits) : scriptBounds(run, used, limits);
  return bounds.flatMap(({ what, limit, ...figures }) =>
    limit === undefined ? [] : [{ ...about, ...figures, name: `${what} of ${runId}`, limit }],
  );
}

interface Bound extends Pick<Budget, 'unit' | 'used'> {
  readonly what: string;
  readonly limit: number | undefined;
}

function agentBounds(
  { createdAt, updatedAt, status }: Run,
  { tokens, cost = 0, modelCalls, callsOfLargestScript }: Spent,
  { budget, maxToolCalls, maxScriptCalls, now }: Limits,
): readonly Bound[] {
  const timeMs = (status === 'running' ? now : updatedAt) - createdAt;
  // The budget and the policy of the session both apply.
  const maxModelCalls = Math.min(maxToolCalls, budget.maxToolCalls ?? Number.POSITIVE_INFINITY);
  return [
    { what: 'Tokens (maxTokens)', unit: 'tokens', limit: budget.maxTokens, used: tokens },
    { what: 'Cost (maxCost)', unit: 'cost', limit: budget.maxCost, used: cost },
    { what: 'Calls by the model (maxToolCalls)', unit: 'calls', limit: maxModelCalls, used: modelCalls },
    {
      what: 'Calls by the largest script (maxScriptCalls)',
      unit: 'calls',
      limit: callsOfLargestScript === 0 ? undefined : maxScriptCalls,
      used: callsOfLargestScript,
    },
    { what: 'Time (maxTimeMs)', unit: 'milliseconds', limit: budget.maxTimeMs, used: timeMs },
  ];
}

function scriptBounds({ definition }: Run, { scriptCalls: used }: Spent, limits: Limits): readonly Bound[] {
  const own = definition.policy?.['maxScriptCalls'];
  const limit = typeof own === 'number' ? own : limits.maxScriptCalls;
  return [{ what: 'Calls by the script (maxScriptCalls)', unit: 'calls', limit, used }];
}

/** Usage of a run. */
interface Spent {
  readonly tokens: number;
  /** In the currency of the price table; absent if a model has no price. */
  readonly cost?: number;
  /** Attempted tool calls by the model: `maxToolCalls` limits them. */
  readonly modelCalls: number;
  /** Attempted tool calls by all scripts of the run. */
  readonly scriptCalls: number;
  /** Attempted tool calls by the script with the most: `maxScriptCalls` limits each script. */
  readonly callsOfLargestScript: number;
}

/** Returns the usage of a run so far. */
type SpentOf = (run: Run) => Promise<Spent>;

const maxKept = 5_000;

/** Creates a function that sums up the events of a run. The usage of an ended run is cached. */
function createSpentOf(recorder: Pick<RunRecorder, 'recordOf'>): SpentOf {
  const known = new Map<string, Spent>();
  return async (run) => {
    const kept = known.get(run.id);
    if (kept !== undefined) return kept;
    const { usage, cost, trace: all } = runDetails(run, await recorder.recordOf(run.id));
    // Runs of sub-agents are counted themselves.
    const trace = all.filter(({ runId }) => runId === undefined);
    const ofScripts = trace.filter(({ caller }) => caller === 'chain');
    const byScript = Map.groupBy(ofScripts, ({ parentId }) => parentId);
    const spent = {
      tokens: usage.inputTokens + usage.outputTokens,
      ...(cost === undefined ? {} : { cost }),
      modelCalls: trace.length - ofScripts.length,
      scriptCalls: ofScripts.length,
      callsOfLargestScript: Math.max(0, ...[...byScript.values()].map((calls) => calls.length)),
    };
    if (run.outcome === undefined) return spent;
    const [oldest] = known.keys();
    if (known.size >= maxKept && oldest !== undefined) known.delete(oldest);
    known.set(run.id, spent);
    return spent;
  };
}
