import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RaviConfig } from '@ravi/host';
import { createInstallation } from './installation.ts';
import type { TestInstallation } from './installation.ts';

/** Call of a model: the name of a tool and its arguments. */
export type Call = readonly [name: string, args: object];

/** Returns a task for the model of the tests, which makes the calls of one step after another and repeats the results. */
export function task(...steps: readonly (readonly Call[])[]): string {
  return JSON.stringify(steps);
}

/** Returns the call of a sub-agent with a task of its own. */
export function delegate(agent: string, ...steps: readonly (readonly Call[])[]): Call {
  return [agent, { task: task(...steps) }];
}

/** Source of that model. Agents use the same ids for their calls, as models of some providers do. */
export const callingModel = `
async function* stream({ messages }) {
  const steps = JSON.parse(messages[0].content[0].text);
  const done = messages.filter(({ role }) => role === 'assistant').length;
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  for (const [index, [name, args]] of (steps[done] ?? []).entries()) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + done + '_' + index, name, arguments: args } };
  }
  if (steps[done] === undefined) {
    const text = results.map(({ content }) => content[0]?.text).join(' | ');
    yield { type: 'block', block: { type: 'text', text } };
  }
  const reason = steps[done] === undefined ? 'end' : 'tool-use';
  yield { type: 'finish', reason, usage: { inputTokens: 1, outputTokens: 1 } };
}
export const provider = { id: 'calling', stream };
const create = () => provider;
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Kills its server in the middle of the call. */
const crashTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
export default {
  name: 'crash', description: 'Ends the process.', risk: 'high', inputSchema: { type: 'object' },
  async execute() {
    await appendFile(join(import.meta.dirname, '../launches.txt'), 'crash\\n');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  },
};`;

/** Source of a tool that asks the user. */
const askTool = `export { askUserTool as default } from ${JSON.stringify(import.meta.resolve('@ravi/agents'))};`;

const source = (path: string): string =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../../packages', path)).href);

const helperTool = `
import { createAgentTool, ReActAgent } from ${source('agents/src/index.ts')};
import launchTools from './launch.mjs';
import crash from './crash.mjs';
import ask from './ask.mjs';
import { provider as model } from '../model.mjs';
const policy = { maxRiskUnapproved: 'high' };
export default createAgentTool(new ReActAgent({ name: 'helper', model, policy, tools: [...launchTools, crash, ask] }));
`;

const bossTool = `
import { createAgentTool, ReActAgent } from ${source('agents/src/index.ts')};
import helper from './helper.mjs';
import { provider as model } from '../model.mjs';
const policy = { maxRiskUnapproved: 'high' };
export default createAgentTool(new ReActAgent({ name: 'boss', model, policy, tools: [helper] }));
`;

/** The same agent, whose calls are jobs. */
const courierTool = helperTool
  .replace("name: 'helper'", "name: 'courier'")
  .replace('crash, ask] }))', "crash, ask] }), { mode: 'background' })");

/** A sub-agent whose scripts call its own tools. */
const scripterTool = `
import { createAgentTool, ReActAgent } from ${source('agents/src/index.ts')};
import { createToolChainTool } from ${source('capabilities/src/index.ts')};
import { Toolbox, ToolInvoker } from ${source('invoker/src/index.ts')};
import { createIsolatedVmSandbox } from ${source('sandboxes/isolated-vm/src/index.ts')};
import launchTools from './launch.mjs';
import crash from './crash.mjs';
import { provider as model } from '../model.mjs';
const registry = new Toolbox([...launchTools, crash]);
const invoker = new ToolInvoker({ registry, policy: { maxRiskUnapproved: 'high' } });
registry.add(createToolChainTool({ invoker, sandbox: createIsolatedVmSandbox({}), preflight: false }));
export default createAgentTool(new ReActAgent({ name: 'scripter', model, invoker }));
`;

const files = {
  'model.mjs': callingModel,
  'tools/ask.mjs': askTool,
  'tools/crash.mjs': crashTool,
  'tools/helper.mjs': helperTool,
  'tools/boss.mjs': bossTool,
  'tools/courier.mjs': courierTool,
  'tools/scripter.mjs': scripterTool,
};

/**
 * Writes an installation whose agent has sub-agents as tools: `helper`, `boss` above it, `courier`, whose calls are jobs, and
 * `scripter`, which writes scripts. `files` adds or replaces files.
 */
export function installSubAgents(
  config: RaviConfig = {},
  more: Readonly<Record<string, string>> = {},
): Promise<TestInstallation> {
  const policy = { maxRiskUnapproved: 'high' } as const;
  const { plugins, ...rest } = config;
  const all = { modelProvider: [{ use: './model.mjs' }], ...plugins };
  return createInstallation({ policy, ...rest, plugins: all }, { ...files, ...more });
}
