import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { RaviConfig } from '@ravi/host';
import { readEvents } from './event-reader.ts';
import { createInstallation } from './installation.ts';
import type { TestInstallation } from './installation.ts';

/** Body of a response. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any;

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

// Both agents use the same ids for their calls, as models of some providers do.
const model = `
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
  'model.mjs': model,
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

/** Sends a request, a POST if it has a body, and returns the body of its response. */
export async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Starts a run of the agent and returns its id. */
export async function start(url: string, text: string): Promise<string> {
  return (await send(url, '/v1/runs', { kind: 'agent', task: text })).id;
}

/** Follows a run across its streams until `event` and returns its data. */
export async function until(url: string, runId: string, event: string): Promise<Body> {
  for (let last = ''; ;) {
    const response = await fetch(`${url}/v1/runs/${runId}/events`, { headers: { 'last-event-id': last } });
    for await (const received of readEvents(response)) {
      if (received.event === event) return JSON.parse(received.data).data;
      last = received.id ?? last;
    }
    await pause(20);
  }
}

/** Answers the questions of a run. */
export async function answer(url: string, runId: string, text: string | object): Promise<Body> {
  const resumed = await send(url, `/v1/runs/${runId}/resume`, { answer: text });
  assert.equal(resumed.error, undefined, JSON.stringify(resumed));
  return resumed;
}

/** Waits until a run and those below it have `count` pending approvals, and returns them, oldest first. */
export async function pendingOf(url: string, runId: string, count: number): Promise<readonly Body[]> {
  for (;;) {
    const { items } = await send(url, `/v1/approvals?runId=${runId}&status=pending`);
    if (items.length >= count) return items.toReversed();
    await pause(20);
  }
}

/** Decides an approval; by default approves it. */
export async function approve(url: string, { id }: Body, more: object = { decision: 'approved' }): Promise<void> {
  const decided = await send(url, `/v1/approvals/${id}/decision`, more);
  assert.equal(decided.error, undefined, JSON.stringify(decided));
}

/** Waits until a run has a status, and returns it. */
export async function untilStatus(url: string, runId: string, status: string): Promise<Body> {
  for (;;) {
    const run = await send(url, `/v1/runs/${runId}`);
    if (run.status === status) return run;
    await pause(20);
  }
}
