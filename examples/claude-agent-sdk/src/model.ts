import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel } from '@ravi/claude-agent-sdk/testing';

const code = `
const orders = await tools.list_orders({});
return Promise.all(orders.map(({ order }) => tools.refund_order({ order })));`;

/** Place of a query that talks to a local model. */
export interface LocalModel extends AsyncDisposable {
  readonly cwd: string;
  /** With a key of Anthropic, leave it out. */
  readonly env: Record<string, string>;
}

/** Starts a model that runs one script and then reports, and makes a folder for Claude Code. */
export async function startModel(): Promise<LocalModel> {
  const model = await startScriptedModel([
    [{ id: 'toolu_1', name: 'mcp__ravi__tool_chain', input: { code } }],
    'All orders are refunded.',
  ]);
  const cwd = await mkdtemp(join(tmpdir(), 'ravi-example-'));
  return {
    cwd,
    env: model.environment(cwd),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
