import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { startDatabase } from './database.ts';
import type { Database } from './database.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { createScaleServers, startRun } from './servers.ts';
import type { ScaleServer } from './servers.ts';

/** Cost of an agent's step, without that of idle servers. */
interface StepCost {
  readonly statements: number;
  /** Processor time of all processes of PostgreSQL. */
  readonly processorMs: number;
  readonly perSecond: number;
  readonly completed: number;
}

const serverCounts = [1, 2, 4] as const;
const maxDeviation = 5;
const maxCores = 5;
/** Time for what is stored after the end of a run. */
const flushMs = 1_000;
const pollMs = 250;
const giveUpMs = 600_000;

/** Three calls in two steps, one of them with a record in the journal before it starts. A response takes half a second. */
const model = `
import { setTimeout as pause } from 'node:timers/promises';
async function* stream({ messages }) {
  const total = Number(messages[0].content[0].text);
  const done = messages.filter(({ role }) => role === 'assistant').length;
  await pause(250 + Math.random() * 500);
  const names = done >= total ? [] : done % 2 === 0 ? ['write'] : ['look', 'look'];
  yield { type: 'block', block: { type: 'text', text: 'After ' + done + ' steps nothing is certain yet.' } };
  for (const [index, name] of names.entries()) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + done + '_' + index, name, arguments: { done, index } } };
  }
  yield { type: 'finish', reason: names.length === 0 ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'stepping', stream });
export default { name: 'stepping', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const toolsFile = `
const tool = (name, risk) => ({
  name, description: 'Looks up or writes a record.', risk, inputSchema: { type: 'object' },
  async execute({ done }) {
    const line = (n) => 'Line ' + n + ' of record ' + done + '. ';
    return { content: [{ type: 'text', text: Array.from({ length: 40 }, (_, n) => line(n)).join('') }], isError: false };
  },
});
export default [tool('look', 'safe'), tool('write', 'high')];
`;

/**
 * Measures what an agent's step costs PostgreSQL when one, two and four servers share it, with as many agents on each: statements and
 * processor time. The statements and the time of the same servers without work are subtracted.
 */
export async function measureCells(options: ScaleOptions): Promise<readonly ScaleResult[]> {
  const { agents, engine } = options;
  const counts = serverCounts.filter((count) => count <= options.servers);
  const costs = new Map<number, StepCost>();
  for (const count of counts) {
    await using database = await startDatabase();
    await using servers = await createScaleServers(database.url, engine, {
      'model.mjs': model,
      'tools/records.mjs': toolsFile,
    });
    const config: RaviConfig = {
      plugins: { modelProvider: [{ use: './model.mjs' }] },
      policy: { maxRiskUnapproved: 'high' },
      agent: { maxSteps: options.agentSteps + 1 },
    };
    const started = await Promise.all(Array.from({ length: count }, () => servers.start(config)));
    costs.set(count, await costOfSteps(database, started, options));
  }
  const first = costs.get(1)?.statements ?? NaN;
  const runs = counts.reduce((sum, count) => sum + count * agents, 0);
  const completed = [...costs.values()].reduce((sum, each) => sum + each.completed, 0);
  return [
    { name: 'completed runs', value: completed, isReached: completed === runs, goal: `all ${runs}` },
    ...[...costs].flatMap(([count, cost]) => rowsOf(count, cost, first)),
  ];
}

function rowsOf(
  count: number,
  { statements, processorMs, perSecond }: StepCost,
  first: number,
): readonly ScaleResult[] {
  const deviation = (statements / first - 1) * 100;
  const comparison = {
    name: `more than with 1 server, servers: ${count}, %`,
    value: deviation,
    isReached: Math.abs(deviation) <= maxDeviation,
    goal: `0 ± ${maxDeviation}`,
  };
  return [
    { name: `statements per step, servers: ${count}`, value: statements },
    ...(count === 1 ? [] : [comparison]),
    { name: `steps per second, servers: ${count}`, value: perSecond },
    {
      // A millisecond for each step is a second for each thousand of them.
      name: `cores of PostgreSQL at 1 000 steps/s, servers: ${count}`,
      value: processorMs,
      isReached: processorMs <= maxCores,
      goal: `${maxCores}`,
    },
  ];
}

async function costOfSteps(
  database: Database,
  servers: readonly ScaleServer[],
  { agents, agentSteps, restSeconds }: ScaleOptions,
): Promise<StepCost> {
  await pause(restSeconds * 1_000);
  const idle = await measure(database, () => pause(restSeconds * 1_000));
  const work = await measure(database, async () => {
    const ids = Array.from({ length: agents }, () =>
      servers.map(({ url }) => startRun(url, { kind: 'agent', task: String(agentSteps) })),
    );
    await Promise.all(ids.flat());
    await untilEnded(database, agents * servers.length);
    await pause(flushMs);
  });
  const steps = agents * servers.length * (agentSteps + 1);
  const idleShare = work.seconds / idle.seconds;
  const [row] = await database.all(`SELECT count(*)::int AS completed FROM ravi_runs WHERE status = 'completed'`);
  return {
    statements: (work.statements - idle.statements * idleShare) / steps,
    processorMs: (work.processorMs - idle.processorMs * idleShare) / steps,
    perSecond: steps / (work.seconds - flushMs / 1_000),
    completed: Number(row?.['completed']),
  };
}

async function measure(
  database: Database,
  body: () => Promise<unknown>,
): Promise<{ readonly statements: number; readonly processorMs: number; readonly seconds: number }> {
  await database.forgetStatements();
  const processorMs = database.processorMs();
  const begun = performance.now();
  await body();
  return {
    seconds: (performance.now() - begun) / 1_000,
    processorMs: database.processorMs() - processorMs,
    statements: await database.statements(),
  };
}

/** Waits until no run is left, without a statement that is counted. */
async function untilEnded(database: Database, runs: number): Promise<void> {
  const giveUpAt = performance.now() + giveUpMs;
  for (;;) {
    const [row] = await database.all(
      `SELECT count(*)::int AS ended FROM ravi_runs WHERE status IN ('completed', 'failed', 'cancelled')`,
    );
    if (Number(row?.['ended']) === runs || performance.now() > giveUpAt) return;
    await pause(pollMs);
  }
}
