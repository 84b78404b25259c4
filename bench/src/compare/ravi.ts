import { setTimeout as delay } from 'node:timers/promises';
import { keepProcess } from '@ravi/agents';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { createDurableChains, createPreflight, createToolChainTool } from '@ravi/capabilities';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { textOf } from './contender.ts';
import type { ComparedTool, Contender } from './contender.ts';

const reference = (name: string): string => `tools.${name}`;

/** Ravi's chain tool, with the check before a run and a blob store, as in its server, without an approver. */
export const ravi: Contender = {
  name: 'Ravi',
  reference,
  async run(code, tools) {
    await using sandbox = createIsolatedVmSandbox();
    await using preflight = createPreflight({ timeLimitMs: 60_000 });
    const registry = new Toolbox(tools.map(declare));
    const invoker = new ToolInvoker({ registry, artifactStore: createMemoryBlobStore() });
    registry.add(createToolChainTool({ invoker, sandbox, preflight }));
    await using session = invoker.openSession();
    const { text } = await invoker.invoke({ name: 'tool_chain', args: { code } }, { session });
    return text;
  },
};

/** Ravi with a state store: calls that a run of this id has already made are not repeated. */
export function durableRavi(folder: string): Contender {
  return {
    name: 'Ravi',
    reference,
    async run(code, tools) {
      await using store = await createSqliteStateStore({ file: `${folder}/state.db` });
      await using sandbox = createIsolatedVmSandbox();
      const invoker = new ToolInvoker({ registry: new Toolbox(tools.map(declare)), digestKey: new Uint8Array(32) });
      await using process = keepProcess({ store, deadAfterMs });
      await using chains = createDurableChains({ store, invoker, sandbox, process });
      if ((await chains.get(runId)) === undefined) return textOf(await chains.start({ code, runId }));
      // The process that died has the run until it counts as dead.
      await delay(deadAfterMs);
      return textOf(await chains.resume(runId));
    },
  };
}

const deadAfterMs = 1_000;
const runId = 'compared';

function declare({ name, needsApproval = false, isReading = false, execute }: ComparedTool): Tool {
  return defineTool({
    name,
    description: name,
    risk: needsApproval ? 'high' : 'safe',
    idempotent: isReading,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    execute: async () => (await execute()) as never,
  });
}
