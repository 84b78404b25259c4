import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CompleteStateStore } from '../../packages/kernel/src/index.ts';
import { createSqliteStateStore } from '../../packages/state/sqlite/src/index.ts';
import { startProcess } from '../../apps/monolith/test/support/server-process.ts';
import { preloads, readEffects } from './installation.ts';
import { copyPausedRuns, idOfCopy } from './many-paused.ts';

/** Runs of an installation whose server was killed. */
export interface LeftRuns {
  /** Number of paused runs, those of scripts in agents included. */
  readonly paused: number;
  /** Number of paused scripts that were answered after the server was killed. */
  readonly answered: number;
}

/** Counts of runs to leave. */
export interface LeftRunsOptions {
  readonly paused: number;
  readonly answered: number;
}

interface Shown {
  readonly id: string;
  readonly status: string;
}

const copiedCode = "return tools.asked({ name: 'copy' })";
const interruptedCode = `
  for (let index = 0; index < 10_000; index += 1) {
    await tools.step({ name: 'interrupted' });
    await sleep(20);
  }`;

/**
 * Leaves runs as a killed server does: a script in the middle of its calls, an agent whose script was answered while no
 * server ran, and thousands of scripts and agents that wait for approval, some of them answered.
 */
export async function leaveRuns(folder: string, { paused, answered }: LeftRunsOptions): Promise<LeftRuns> {
  const args = ['--config', 'ravi.config.json', '--port', '0'];
  using server = startProcess(folder, args, { preloads: [join(folder, preloads.bundle)] });
  const url = await server.url();
  const start = async (body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`POST /v1/runs returned ${response.status}: ${await response.text()}`);
    return ((await response.json()) as Shown).id;
  };
  const copied = await start({ kind: 'chain', code: copiedCode });
  const copiedAgent = await start({ kind: 'agent', task: 'Have the effect of a copy.' });
  const agent = await start({ kind: 'agent', task: 'Have the effect.' });
  for (const id of [copied, copiedAgent, agent]) await untilPaused(url, id);
  await start({ kind: 'chain', code: interruptedCode });
  while (readEffects(folder).filter(({ name }) => name === 'interrupted').length < 5) await pause(10);
  server.signal('SIGKILL');
  await server.exit;

  const file = join(folder, 'data/state.db');
  const runsOfCopy = 1 + (await treeOf(file, copiedAgent)).runIds.length;
  const copies = Math.max(1, Math.round(paused / 2));
  const agentCopies = Math.max(1, Math.round(paused / 2 / (runsOfCopy - 1)));
  copyPausedRuns(file, await treeOf(file, copied), copies);
  copyPausedRuns(file, await treeOf(file, copiedAgent), agentCopies);
  await using store = await createSqliteStateStore({ file, durability: 'process' });
  await approve(store, agent);
  for (let copy = 1; copy <= answered; copy += 1) await approve(store, idOfCopy(copied, copy));
  return { paused: copies + agentCopies * (runsOfCopy - 1), answered };
}

async function untilPaused(url: string, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v1/runs/${id}`);
    const { status } = (await response.json()) as Shown;
    if (status === 'paused') return;
    if (status !== 'running') throw new Error(`Run ${id} is ${status}`);
    await pause(50);
  }
}

async function treeOf(file: string, id: string): Promise<{ runIds: readonly string[]; ids: readonly string[] }> {
  await using store = await createSqliteStateStore({ file, durability: 'process' });
  const run = await store.runs.get(id);
  const below = (await store.runs.list({ parentRunId: id })).items;
  const approvals = (await store.approvals.list({ runId: id })).items;
  const runIds = [id, ...below.map((child) => child.id)];
  return { runIds, ids: [...runIds, ...approvals.map(({ request }) => request.id), run?.sessionId ?? id] };
}

async function approve({ approvals }: CompleteStateStore, runId: string): Promise<void> {
  const [asked] = (await approvals.list({ runId, status: 'pending' })).items;
  if (asked === undefined) throw new Error(`Run ${runId} waits for no approval`);
  const decision = { decision: 'approved', approver: 'grace', decidedAt: Date.now() } as const;
  const { status } = await approvals.decide(asked.request.id, decision);
  if (status !== 'done') throw new Error(`The approval of run ${runId} is ${status}`);
}
