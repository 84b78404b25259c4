import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { FunctionSpec, JsonSchema, ModelRequest } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { start, until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import { test } from 'vitest';

interface RealTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly required?: readonly string[]; readonly properties?: object };
}

/** Requests that the model of the server received. */
const seen: ModelRequest[] = [];
(globalThis as { seenRequests?: ModelRequest[] }).seenRequests = seen;

/** Searches for what its task describes, reads about the tool and calls it. The task is a query, the wanted tool and its arguments. */
const model = `
async function* stream(request) {
  globalThis.seenRequests.push(request);
  const { query, wanted, args } = JSON.parse(request.messages[0].content[0].text);
  const results = request.messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  const last = results.at(-1)?.content[0]?.text ?? '';
  const offers = (name) => request.tools.some((tool) => tool.name === name);
  const call = (name, given) => ({ type: 'tool_use', id: 'call_' + results.length, name, arguments: given });
  const say = (text) => ({ type: 'text', text });
  let block;
  if (results.length === 0) block = call('search_tools', { query, limit: 20 });
  else if (results.length === 1 && !last.includes('- ' + wanted + '(')) block = say('not found');
  else if (results.length === 1) block = call('describe_tool', { name: wanted });
  else if (results.length === 2) block = offers(wanted) ? call(wanted, args) : say('not offered');
  else block = say(last);
  yield { type: 'block', block };
  yield { type: 'finish', reason: block.type === 'text' ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'searching', stream });
export default { name: 'searching', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const toolsFile = (source: string): string => `
import { readFileSync } from 'node:fs';
export default JSON.parse(readFileSync(${JSON.stringify(source)}, 'utf8')).map((tool) => ({
  ...tool,
  risk: 'safe',
  execute: () => ({ content: [{ type: 'text', text: 'called ' + tool.name }], isError: false }),
}));
`;

const file = sharedDataFile('toolschemas/mcp-tools.jsonl');

function realTools(): readonly RealTool[] {
  const lines = readFileSync(file!, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    const tool = JSON.parse(line) as RealTool;
    const name = `t${index}_${tool.name.replaceAll(/[^\w-]/g, '_').slice(0, 50)}`;
    return { name, description: tool.description ?? '', inputSchema: tool.inputSchema };
  });
}

/** Arguments for a schema whose required properties are plain; `undefined` for other schemas. */
function argumentsFor({ required = [], properties = {} }: RealTool['inputSchema']): object | undefined {
  const values: Readonly<Record<string, unknown>> = { string: 'a', integer: 1, number: 1, boolean: true };
  const entries = required.map((key) => {
    const schema = (properties as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[key] ?? {};
    const isPlain = Object.keys(schema).every((word) => ['type', 'description', 'title', 'default'].includes(word));
    return [key, isPlain ? values[String(schema['type'])] : undefined] as const;
  });
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}

/** Tokens of the tools of a request, in the form of the Messages API. */
function toolTokens({ tools }: ModelRequest): number {
  const functions = tools.filter((tool): tool is FunctionSpec => tool.type === 'function');
  const wire = functions.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  return encode(JSON.stringify(wire)).length;
}

const config = {
  plugins: { modelProvider: [{ use: './model.mjs' }], stateStore: { use: '@ravi/state-sqlite', file: ':memory:' } },
  agent: { maxSteps: 5 },
};

test.skipIf(file === undefined)(
  'with 3413 real tools a request declares at most 3000 tokens, and a tool is called after a search (skipped: no file)',
  { timeout: 300_000 },
  async () => {
    const tools = realTools();
    assert.equal(tools.length, 3_413);
    const files = { 'model.mjs': model, 'tools/real.mjs': toolsFile('real.json'), 'real.json': JSON.stringify(tools) };
    const withPath = {
      ...files,
      'tools/real.mjs': toolsFile('./real.json').replace('"./real.json"', "new URL('../real.json', import.meta.url)"),
    };
    await using server = await startServer(config, withPath);
    const callable = tools.filter(({ inputSchema, description }) => {
      return argumentsFor(inputSchema) !== undefined && description.length > 20;
    });
    const step = Math.floor(callable.length / 100);
    const sample = Array.from({ length: 100 }, (_, index) => callable[index * step]!);
    const ends = new Map<string, number>();
    for (const { name, description, inputSchema } of sample) {
      const query = `${name.replace(/^t\d+_/, '').replaceAll('_', ' ')} ${description.slice(0, 150)}`;
      const runId = await start(server.url, JSON.stringify({ query, wanted: name, args: argumentsFor(inputSchema) }));
      const { text } = await until(server.url, runId, 'run-end');
      const end = text === `called ${name}` ? 'called' : text;
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    const called = ends.get('called') ?? 0;
    assert.ok(called >= 95, JSON.stringify([...ends]));
    // Every tool that the search found could be called.
    assert.deepEqual(
      [...ends.keys()].filter((end) => !['called', 'not found'].includes(end)),
      [],
    );
    const most = Math.max(...seen.map(toolTokens));
    assert.ok(most <= 3_000, `${most} tokens`);
  },
);

test('an agent asks the user unless its questions are turned off', { timeout: 60_000 }, async () => {
  const agents = { mute: { questions: false } };
  await using server = await startServer({ ...config, agents }, { 'model.mjs': model });
  const offered = async (agent: string): Promise<readonly string[]> => {
    seen.length = 0;
    const { body } = await server.post('/v1/runs', {
      kind: 'agent',
      agent,
      task: JSON.stringify({ query: 'x', wanted: 'x' }),
    });
    await until(server.url, body.id, 'run-end');
    return seen[0]!.tools.map(({ name }) => name);
  };
  const names = ['ask_user', 'ask_clarification', 'info'];
  assert.deepEqual(
    (await offered('ravi')).filter((name) => names.includes(name)),
    names,
  );
  assert.deepEqual(
    (await offered('mute')).filter((name) => names.includes(name)),
    ['info'],
  );
});
