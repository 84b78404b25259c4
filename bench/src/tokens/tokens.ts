import { deepStrictEqual } from 'node:assert/strict';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { createPreflight, createToolChainTool } from '@ravi/capabilities';
import type { Preflight } from '@ravi/capabilities';
import { specOf } from '@ravi/kernel';
import type { Sandbox } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import type { BenchGroup, BenchRow } from '../row.ts';
import { openConversation } from './conversation.ts';
import type { ConversationCost } from './conversation.ts';
import { crawl } from './crawl.ts';
import { expenses } from './expenses.ts';
import { pipeline } from './pipeline.ts';
import type { TokenWorkload } from './workload.ts';

/** Counts what a model has to read for the same task with plain tool calls and with one script; the same in every run. */
export const benchTokens: BenchGroup = async () => {
  await using guests = openScriptGuests();
  const rows: BenchRow[] = [];
  for (const workload of [expenses, pipeline, crawl]) {
    rows.push(rowOf(workload, await runScript(workload, guests), await callTools(workload)));
  }
  return rows;
};

/** Sandbox and check of the scripts. */
export interface ScriptGuests extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly preflight: Preflight;
}

/** Opens the default sandbox, and a check without a time limit: the notice of the limit would be counted. */
export function openScriptGuests(): ScriptGuests {
  const sandbox = createIsolatedVmSandbox();
  const preflight = createPreflight({ timeLimitMs: 60_000 });
  return {
    sandbox,
    preflight,
    async [Symbol.asyncDispose]() {
      await preflight[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** Runs the task with plain tool calls, every result in full. */
export async function callTools(workload: TokenWorkload): Promise<ConversationCost> {
  const registry = new Toolbox(workload.tools);
  const invoker = new ToolInvoker({ registry });
  const conversation = openConversation(invoker, registry.schemas(''), workload.task);
  deepStrictEqual(await workload.callTools(conversation.takeStep), workload.answer);
  return conversation.finish();
}

/** Runs the task with one call of `tool_chain`, the only tool that is declared to the model. */
export async function runScript(
  workload: TokenWorkload,
  { sandbox, preflight }: ScriptGuests,
): Promise<ConversationCost> {
  const registry = new Toolbox(workload.tools);
  const invoker = new ToolInvoker({ registry, artifactStore: createMemoryBlobStore() });
  const chain = createToolChainTool({ invoker, sandbox, preflight });
  registry.add(chain);
  const spec = specOf(chain, '');
  const conversation = openConversation(invoker, spec === undefined ? [] : [spec], workload.task);
  const [result] = await conversation.takeStep([{ name: chain.name, args: { code: workload.script } }]);
  deepStrictEqual(JSON.parse(result?.text ?? ''), workload.answer);
  return conversation.finish();
}

function rowOf({ name, goal }: TokenWorkload, ours: ConversationCost, plain: ConversationCost): BenchRow {
  const ratio = ours.inputTokens / plain.inputTokens;
  const saved = (100 * (1 - ratio)).toFixed(ratio < 0.001 ? 3 : 1);
  return {
    group: 'tokens',
    name: `${name}, input of the conversation`,
    unit: 'tokens',
    ours: ours.inputTokens,
    peer: plain.inputTokens,
    peerName: `plain tool calls, ${plain.turns} turns`,
    ratio,
    goal,
    note: `${saved} % saved`,
  };
}
