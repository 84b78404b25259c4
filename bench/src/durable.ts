import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createStoredApprovals } from '@ravi/approval-kit';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createDurableChains, runChain } from '@ravi/capabilities';
import type { DurableChains } from '@ravi/capabilities';
import { createArgumentDigest } from '@ravi/host';
import { defineTool } from '@ravi/kernel';
import type { ChainRunResult, Sandbox, CompleteStateStore, ToolRisk } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const calls = 400;
const finishedCalls = 50;
const pausedScripts = 60;
const policy = { maxScriptCalls: calls, maxRiskUnapproved: 'high' } as const;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Bench {
  readonly store: CompleteStateStore;
  readonly sandbox: Sandbox;
  readonly invoker: ToolInvoker;
  readonly chains: DurableChains;
}

/** Measures the cost of a durable script, on SQLite with every start of a call flushed to disk. */
export const benchDurable: BenchGroup = async ({ rounds }) => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-bench-durable-'));
  try {
    await using store = await createSqliteStateStore({ file: join(folder, 'state.db') });
    await using sandbox = createIsolatedVmSandbox({});
    const invoker = createInvoker(store);
    await using chains = createDurableChains({ store, invoker, sandbox, preflight: false, pauseAfterMs: 1 });
    const bench = { store, sandbox, invoker, chains };
    const rows: BenchRow[] = [];
    for (const [risk, width] of [
      ['safe', 1],
      ['high', 1],
      ['high', 8],
    ] as const) {
      rows.push(...(await rowsOf(callsOfScript(bench, risk, width), rounds)));
    }
    rows.push(
      ...(await rowsOf(
        {
          group: 'durable',
          name: `pause a script with ${finishedCalls} finished calls, and resume it to its end`,
          unit: 'ms',
          goal: '≤ 50 ms',
          ours: { name: 'durable', measure: () => pauseAndResumeMs(bench) },
        },
        rounds,
      )),
    );
    rows.push(
      ...(await rowsOf(
        {
          group: 'durable',
          name: 'heap of the host for each paused script',
          unit: 'KB',
          goal: '≤ 1 KB',
          ours: { name: 'durable', measure: () => pausedHeapKb(bench) },
        },
        rounds,
      )),
    );
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

function callsOfScript(bench: Bench, risk: ToolRisk, width: number): Parameters<typeof rowsOf>[0] {
  const code = `
    for (let first = 0; first < ${calls}; first += ${width}) {
      await Promise.all(Array.from({ length: ${width} }, (_, index) => tools.${risk}({ value: first + index })));
    }
  `;
  return {
    group: 'durable',
    name: `${calls} ${risk} calls of a script, ${width} at once`,
    unit: 'µs',
    ours: { name: 'durable', measure: () => callUs(bench.chains.start({ code, policy })) },
    floor: {
      name: 'not durable',
      measure: () =>
        callUs(runChain({ code, policy, invoker: bench.invoker, sandbox: bench.sandbox, preflight: false })),
    },
  };
}

async function callUs(running: Promise<ChainRunResult>): Promise<number> {
  const start = performance.now();
  const { status, toolCalls, outputText } = await running;
  if (status !== 'ok' || toolCalls !== calls) throw new Error(`The script came to something else: ${outputText}`);
  return ((performance.now() - start) * 1_000) / calls;
}

/** Replays a run with 50 calls that ended before; the clock starts at the last of them. */
async function pauseAndResumeMs({ store, chains }: Bench): Promise<number> {
  const code = `
    for (let value = 0; value < ${finishedCalls}; value++) await tools.high({ value });
    return tools.critical({ value: 1 });
  `;
  const paused = await chains.start({ code, policy, approvals: 'pause' });
  const { items } = await store.approvals.list({ runId: paused.runId });
  const begun = items[0]?.request.requestedAt ?? Number.NaN;
  for (const { request } of items)
    await store.approvals.decide(request.id, { decision: 'approved', decidedAt: Date.now() });
  const { status, outputText } = await chains.resume(paused.runId);
  if (paused.status !== 'paused' || status !== 'ok')
    throw new Error(`The script came to something else: ${outputText}`);
  return Date.now() - begun;
}

/** Measures the memory of a script that waits for an approval, without the code that the first scripts load and compile. */
async function pausedHeapKb({ chains }: Bench): Promise<number> {
  const pause = async (): Promise<void> => {
    const { status } = await chains.start({ code: 'await tools.critical({ value: 1 })', policy, approvals: 'pause' });
    if (status !== 'paused') throw new Error(`A script that was to be paused is ${status}`);
  };
  const heapAfter = async (count: number): Promise<number> => {
    for (let script = 0; script < count; script++) await pause();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(pausedScripts / 4);
  return ((await heapAfter(pausedScripts)) - before) / pausedScripts / 1_024;
}

function createInvoker({ approvals }: CompleteStateStore): ToolInvoker {
  const tool = (risk: ToolRisk) =>
    defineTool({
      name: risk,
      description: 'Gives the value back',
      risk,
      inputSchema: { type: 'object', properties: { value: { type: 'integer' } }, required: ['value'] },
      execute: async (args) => args['value'],
    });
  return new ToolInvoker({
    registry: new Toolbox([tool('safe'), tool('high'), tool('critical')]),
    approvalHandler: createStoredApprovals({ store: approvals }),
    digest: createArgumentDigest(new Uint8Array(32).fill(3)),
  });
}
