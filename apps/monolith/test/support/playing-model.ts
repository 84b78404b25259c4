import type { RaviConfig } from '@ravi/host';
import { startServer } from './server.ts';
import type { TestServer } from './server.ts';
import { until } from './run-requests.ts';
import type { Body } from './run-requests.ts';

/** A block that the model of the tests writes, or `wait`, which holds the response until the tool `begin` runs. */
export type PlayedBlock = { readonly type: string; readonly [field: string]: unknown };

/** Writes the blocks of its task, one list for each response, and then repeats the results. Text of media is base 64. */
const playingModel = `
const decoded = (block) => block.source?.kind === 'bytes'
  ? { ...block, source: { kind: 'bytes', bytes: new Uint8Array(Buffer.from(block.source.bytes, 'base64')) } }
  : block;
const begun = Promise.withResolvers();
globalThis.ravi_begin = begun.resolve;
async function* stream({ messages }) {
  const steps = JSON.parse(messages[0].content[0].text);
  const step = steps[messages.filter(({ role }) => role === 'assistant').length];
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  const told = results.map(({ content }) => content.map((block) => block.text ?? JSON.stringify(block.data ?? block.type)).join(' '));
  for (const block of step ?? [{ type: 'text', text: told.join(' | ') }]) {
    if (block.type === 'wait') await begun.promise;
    else yield { type: 'block', block: decoded(block) };
  }
  const isCall = step?.some(({ type }) => type === 'tool_use') === true;
  yield { type: 'finish', reason: isCall ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'playing', model: 'playing', stream });
export default { name: 'playing', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Returns the block of a call. */
export function useTool(id: string, name: string, args: object = {}, more: object = {}): PlayedBlock {
  return { type: 'tool_use', id, name, arguments: args, ...more };
}

/** Starts a server whose agents are played by the model above. */
export function startPlaying(
  config: RaviConfig = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const { plugins, ...rest } = config;
  const all = { modelProvider: [{ use: './model.mjs' }], ...plugins };
  return startServer({ ...rest, plugins: all }, { 'model.mjs': playingModel, ...files }, { isServer: true });
}

/** Runs an agent to its end and returns its run with the requests that its model received. */
export async function play(
  server: TestServer,
  steps: readonly (readonly PlayedBlock[])[],
  more: object = {},
): Promise<{ readonly run: Body; readonly requests: readonly Body[]; readonly text: string }> {
  const { body } = await server.post('/v1/runs', { kind: 'agent', task: JSON.stringify(steps), ...more });
  const { text } = await until(server.url, body.id, 'run-end');
  const { body: run } = await server.get(`/v1/runs/${body.id}`);
  const { body: exchanges } = await server.get(`/v1/runs/${body.id}/exchanges`);
  return { run, requests: exchanges.items.map(({ request }: Body) => request), text };
}
