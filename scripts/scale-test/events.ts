import { readEvents } from '../../apps/monolith/test/support/event-reader.ts';
import { callingModel, task } from '../../apps/monolith/test/support/sub-agents.ts';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { percentile } from '../load-test/figures.ts';
import { startDatabase } from './database.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { createScaleServers, startRun } from './servers.ts';
import type { ScaleServer } from './servers.ts';

const kills = 2;
const maxDelayMs = 500;
const model: RaviConfig = {
  plugins: { modelProvider: [{ use: './model.mjs' }] },
  policy: { maxRiskUnapproved: 'high' },
};
/** Only servers with this agent can execute its runs. */
const worker: RaviConfig = {
  ...model,
  agent: { maxSteps: 10_000 },
  agents: { worker: { description: 'Works.' } },
  defaultAgent: 'worker',
};

const workTool = `
export default {
  name: 'work', description: 'Works.', risk: 'safe', idempotent: true, inputSchema: { type: 'object' },
  async execute() {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
};`;

/** Events that a reader has received. */
interface Reading {
  readonly ids: readonly string[];
  /** Milliseconds from each event to its arrival. */
  readonly delays: readonly number[];
  /** The last event. */
  readonly end: { readonly event: string | undefined; readonly status: string };
}

/**
 * Reads the events of a run through a server that cannot execute it, while the server that does is killed twice. Each event must arrive
 * once and in order.
 */
export async function measureEvents({ steps, engine }: ScaleOptions): Promise<readonly ScaleResult[]> {
  await using database = await startDatabase();
  await using servers = await createScaleServers(database.url, engine, {
    'model.mjs': callingModel,
    'tools/work.mjs': workTool,
  });
  const reader = await servers.start(model);
  const workers = await Promise.all(Array.from({ length: kills + 1 }, () => servers.start(worker)));
  const calls = Array.from({ length: steps }, () => [['work', {}] as const]);
  const runId = await startRun(workers[0]?.url ?? '', { kind: 'agent', task: task(...calls) });
  const killed = new Set<ScaleServer>();
  async function killOwner(): Promise<void> {
    const [run] = await database.all('SELECT lease_owner FROM ravi_runs WHERE id = $1', [runId]);
    const owner = workers.find(({ pid }) => String(run?.['lease_owner']).split('_')[3] === String(pid));
    if (owner === undefined) throw new Error(`None of the servers executes run ${runId}`);
    killed.add(owner);
    await owner.end('SIGKILL');
  }
  let killing = Promise.resolve();
  let due = 1;
  const reading = await read(reader.url, runId, (seenCalls) => {
    if (due > kills || seenCalls < (due * steps) / (kills + 1)) return;
    due += 1;
    killing = killing.then(killOwner);
  });
  await killing;
  const last = workers.find((each) => !killed.has(each));
  const again = await read(last?.url ?? '', runId, () => {});
  const { ids, end } = reading;
  const faults = ids.length - new Set(ids).size + ids.filter((id, index) => !follows(ids[index - 1], id)).length;
  const missing = again.ids.filter((id) => !ids.includes(id)).length;
  const epochs = new Set(ids.map((id) => id.split('.')[0])).size;
  const sorted = Float64Array.from(reading.delays).sort();
  const p99 = percentile(sorted, 0.99);
  const isCompleted = end.event === 'run-end' && end.status === 'completed';
  return [
    { name: 'events read on another server', value: ids.length },
    {
      name: 'owners of the run, one after the other',
      value: epochs,
      isReached: epochs === kills + 1,
      goal: `${kills + 1}`,
    },
    { name: 'events twice or not in order', value: faults, isReached: faults === 0, goal: '0' },
    { name: 'events missing', value: missing, isReached: missing === 0, goal: '0' },
    { name: 'last event is the end of a completed run', value: Number(isCompleted), isReached: isCompleted, goal: '1' },
    { name: 'delay of an event, p50 ms', value: percentile(sorted, 0.5) },
    { name: 'delay of an event, p99 ms', value: p99, isReached: p99 <= maxDelayMs, goal: `${maxDelayMs} ms` },
  ];
}

/** Reads to the end of the response, which must be that of the run. `onCall` receives the number of calls so far. */
async function read(url: string, runId: string, onCall: (seenCalls: number) => void): Promise<Reading> {
  const ids: string[] = [];
  const delays: number[] = [];
  let seenCalls = 0;
  let end: Reading['end'] = { event: undefined, status: '' };
  for await (const { id, event, data } of readEvents(await fetch(`${url}/v1/runs/${runId}/events`))) {
    if (id === undefined) continue;
    const { at, data: content } = JSON.parse(data) as {
      readonly at: number;
      readonly data: { readonly status?: string };
    };
    ids.push(id);
    delays.push(Math.max(0, Date.now() - at));
    end = { event, status: content.status ?? '' };
    if (event === 'tool-call') onCall((seenCalls += 1));
  }
  return { ids, delays, end };
}

/** True if the second id is the next one: the first of a later epoch, or the one after it in the same. */
function follows(before: string | undefined, id: string): boolean {
  const [epoch = 0, n = 0] = id.split('.').map(Number);
  const [lastEpoch = 0, lastN = 0] = (before ?? '0.0').split('.').map(Number);
  return epoch === lastEpoch ? n === lastN + 1 : epoch > lastEpoch && n === 1;
}
