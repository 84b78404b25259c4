import { nearNames } from '@ravi/support';
import type { AgentEntry, BudgetConfig } from './agent-config.ts';
import type { DailyBudgetConfig } from './budget-config.ts';
import { builtInAgent } from './check-agents.ts';
import type { ResolvedConfig } from './config.ts';

/** Parts of a configuration about budgets. */
type BudgetParts = Pick<ResolvedConfig, 'agent' | 'agents' | 'budgets'>;

const fieldsOfRun = {
  maxTokensPerDay: 'maxTokens',
  maxCostPerDay: 'maxCost',
  maxToolCallsPerDay: 'maxToolCalls',
  maxTimeMsPerDay: 'maxTimeMs',
} as const satisfies Readonly<Record<keyof DailyBudgetConfig, keyof BudgetConfig>>;

const fields = Object.keys(fieldsOfRun) as readonly (keyof DailyBudgetConfig)[];

/**
 * Returns the mistakes in the budgets of a day, each with its place: unknown agents, a cost without prices, and limits above one
 * that holds for the same runs, so that they have no effect.
 */
export function budgetMistakes({ agent, agents, budgets }: BudgetParts): readonly string[] {
  const { server = {}, perPrincipal = {}, principals = {}, perAgent = {} } = budgets;
  const names = [builtInAgent, ...Object.keys(agents)];
  const ofPrincipals = Object.entries(principals).map(([name, daily]) => ({ place: `principals.${name}`, daily }));
  const ofAgents = Object.entries(perAgent).map(([name, daily]) => ({ place: `perAgent.${name}`, daily }));
  const below = [{ place: 'perPrincipal', daily: perPrincipal }, ...ofPrincipals, ...ofAgents];
  const all = [{ place: 'server', daily: server }, ...below];

  const unknown = Object.keys(perAgent)
    .filter((name) => name !== '*' && !names.includes(name))
    .map((name) => {
      const near = nearNames(name, names);
      const hint = near.length > 0 ? `did you mean ${list(near)}?` : `there are ${list(names)}`;
      return `budgets.perAgent: there is no agent ${JSON.stringify(name)}; ${hint}`;
    });
  const hasPrices = Object.keys(agent.prices ?? {}).length > 0;
  const unpriced = all
    .filter(({ daily }) => daily.maxCostPerDay !== undefined && !hasPrices)
    .map(({ place }) => `budgets.${place}.maxCostPerDay needs prices: set agent.prices`);
  const above = below.flatMap(({ place, daily }) =>
    fields.flatMap((field) =>
      aboveOther(`budgets.${place}.${field}`, daily[field], `budgets.server.${field}`, server[field]),
    ),
  );
  const ofRuns = names.flatMap((name) => {
    const entry: AgentEntry = name === builtInAgent ? agent : (agents[name] ?? {});
    const place = name === builtInAgent ? 'agent' : `agents.${name}`;
    const key = Object.hasOwn(perAgent, name) ? name : '*';
    const holding = [
      { place: 'server', daily: server },
      { place: `perAgent.${key}`, daily: Object.hasOwn(perAgent, key) ? perAgent[key] : undefined },
      // A principal of its own may have more.
      ...(ofPrincipals.length === 0 ? [{ place: 'perPrincipal', daily: perPrincipal }] : []),
    ];
    const unpricedRun =
      entry.budget?.maxCost !== undefined && !hasPrices
        ? [`${place}.budget.maxCost needs prices: set agent.prices`]
        : [];
    const aboveDay = holding.flatMap((other) =>
      fields.flatMap((field) => {
        const { [field]: runField } = fieldsOfRun;
        const own = entry.budget?.[runField];
        return aboveOther(`${place}.budget.${runField}`, own, `budgets.${other.place}.${field}`, other.daily?.[field]);
      }),
    );
    return [...unpricedRun, ...aboveDay];
  });
  return [...unknown, ...unpriced, ...above, ...ofRuns];
}

function aboveOther(
  place: string,
  value: number | undefined,
  otherPlace: string,
  other: number | undefined,
): readonly string[] {
  if (value === undefined || other === undefined || value <= other) return [];
  return [`${place} is ${value}, above ${otherPlace}, which is ${other}: it has no effect. Lower it or leave it out`];
}

function list(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}
