import { api } from '@ravi/api';
import type { Budget } from '@ravi/api';
import type { AgentConfig } from '@ravi/host';
import type { Clock, Principal, Run, RunStore } from '@ravi/kernel';
import { implement, listOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { runDetails } from '../../runs/run-details.ts';
import type { RunRecorder } from '../../runs/run-recorder.ts';

const dayMs = 86_400_000;
const pageSize = 100;
const maxRuns = 1_000;

/** Services of {@link budgetOperations}. */
export interface BudgetServices {
  /** Limits of one run; a field that is absent has none. */
  readonly budget: NonNullable<AgentConfig['budget']>;
  readonly runs: RunStore;
  readonly recorder: Pick<RunRecorder, 'read'>;
  readonly clock: Clock;
}

/** Implements the operation on budgets: the limits of agent runs, and the usage of today. */
export function budgetOperations({ budget, runs: store, recorder, clock }: BudgetServices): readonly Endpoint[] {
  const spentOf = createSpentOf(recorder);

  /** Returns the agent runs since the last midnight in UTC, newest first, at most 1 000. */
  async function runsOfToday(principal: Principal): Promise<readonly Run[]> {
    const midnight = Math.floor(clock.now() / dayMs) * dayMs;
    const runs: Run[] = [];
    let cursor: string | undefined;
    do {
      const page = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const { items, next } = await store.list({ principal }, page);
      const today = items.filter(({ createdAt }) => createdAt >= midnight);
      runs.push(...today.filter(({ definition }) => definition.kind === 'agent'));
      cursor = today.length < items.length ? undefined : next;
    } while (cursor !== undefined && runs.length < maxRuns);
    return runs;
  }

  return [
    implement(api.budgets.list, async ({ caller: { principal } }) => {
      const runs = await runsOfToday(principal);
      const spent: { readonly run: Run; readonly used: Spent }[] = [];
      // In sequence, because each reads a journal.
      for (const run of runs) spent.push({ run, used: await spentOf(run) });
      const live = spent.filter(({ run }) => run.outcome === undefined);
      const shown = live.length > 0 ? live : spent.slice(0, 1);
      const ofRuns = shown.flatMap(({ run, used }) => runBudgets(run, used, budget, clock.now()));
      return listOf([
        ...principalBudgets(
          principal,
          spent.map(({ used }) => used),
        ),
        ...ofRuns,
      ]);
    }),
  ];
}

function principalBudgets(principal: Principal, spent: readonly Spent[]): readonly Budget[] {
  const about = { scope: 'principal', principal } as const;
  const sum = (part: 'tokens' | 'toolCalls'): number => spent.reduce((total, used) => total + used[part], 0);
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
    { ...about, name: 'Calls today', unit: 'calls', used: sum('toolCalls') },
  ];
}

function runBudgets(
  run: Run,
  { tokens, cost = 0, toolCalls }: Spent,
  { maxTokens, maxCost, maxToolCalls, maxTimeMs }: NonNullable<AgentConfig['budget']>,
  now: number,
): readonly Budget[] {
  const { id: runId, principal, createdAt, updatedAt, status } = run;
  const about = { scope: 'run', principal, runId } as const;
  const timeMs = (status === 'running' ? now : updatedAt) - createdAt;
  const bounds = [
    { what: 'Tokens', unit: 'tokens', limit: maxTokens, used: tokens },
    { what: 'Cost', unit: 'cost', limit: maxCost, used: cost },
    { what: 'Calls', unit: 'calls', limit: maxToolCalls, used: toolCalls },
    { what: 'Time', unit: 'milliseconds', limit: maxTimeMs, used: timeMs },
  ] as const;
  return bounds.flatMap(({ what, limit, ...figures }) =>
    limit === undefined ? [] : [{ ...about, ...figures, name: `${what} of ${runId}`, limit }],
  );
}

/** Usage of a run. */
interface Spent {
  readonly tokens: number;
  /** In the currency of the price table; absent if a model has no price. */
  readonly cost?: number;
  /** Tool calls by the model; calls by scripts do not count. */
  readonly toolCalls: number;
}

/** Returns the usage of a run so far. */
type SpentOf = (run: Run) => Promise<Spent>;

const maxKept = 5_000;

/** Creates a function that sums up the events of a run. The usage of an ended run is cached. */
function createSpentOf(recorder: Pick<RunRecorder, 'read'>): SpentOf {
  const known = new Map<string, Spent>();
  return async (run) => {
    const kept = known.get(run.id);
    if (kept !== undefined) return kept;
    const { usage, cost, trace } = runDetails(run, await recorder.read(run.id, 0));
    const spent = {
      tokens: usage.inputTokens + usage.outputTokens,
      ...(cost === undefined ? {} : { cost }),
      toolCalls: trace.filter(({ caller }) => caller === 'direct').length,
    };
    if (run.outcome === undefined) return spent;
    const [oldest] = known.keys();
    if (known.size >= maxKept && oldest !== undefined) known.delete(oldest);
    known.set(run.id, spent);
    return spent;
  };
}
