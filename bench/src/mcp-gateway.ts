import { strictEqual } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { openMonolith, serve } from '@ravi/monolith';
import { countTokens } from 'gpt-tokenizer';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const group = 'mcp-gateway';
const calls = 10;
const generation = '2026-07-28';

// Each call takes the result of the one before it, and gives some text that the model does not need.
const tools = `export default Array.from({ length: ${calls} }, (_, index) => ({
  name: 'step_' + index,
  description: 'Adds a number to the sum and reports what it did, step ' + index + '.',
  risk: 'safe',
  inputSchema: { type: 'object', required: ['sum'], properties: { sum: { type: 'number', description: 'Sum so far.' } } },
  async execute({ sum }) {
    const report = 'Step ${'${index}'} read the sum, compared it with its list, and added to it. '.repeat(20);
    return { content: [], isError: false, structuredContent: { sum: sum + index, report } };
  },
}));`;

const script = `let sum = 0;
for (let step = 0; step < ${calls}; step++) sum = (await tools['step_' + step]({ sum })).sum;
return sum;`;

/** Measures ten tools in one script through the gateway against ten calls of a client through the same gateway. */
export const benchMcpGateway: BenchGroup = async ({ rounds }) => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-bench-mcp-'));
  try {
    await writeFile(join(folder, 'steps.mjs'), tools);
    await writeFile(join(folder, 'ravi.config.json'), '{ "tools": ["."] }');
    await using monolith = await openMonolith({ cwd: folder, env: {}, isServer: true });
    await using server = await serve(monolith, { port: 0, graceMs: 0 });
    await using code = await connect(`${server.url}/mcp`);
    await using direct = await connect(`${server.url}/mcp?mode=tools`);
    const rows = await rowsOf(
      {
        group,
        name: `${calls} tools, from the first request to the sum`,
        unit: 'ms',
        ours: { name: 'one execute', measure: () => timeOf(() => runScript(code.client)) },
        peers: [{ name: `${calls} client calls`, measure: () => timeOf(() => callOneByOne(direct.client)) }],
      },
      rounds,
    );
    return [...rows, await tokenRow(code.client, direct.client)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface Connected extends AsyncDisposable {
  readonly client: Client;
}

async function connect(url: string): Promise<Connected> {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: { pin: generation } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** A call of the model and its result, as text. */
interface Exchange {
  readonly call: string;
  readonly result: string;
}

async function runScript(client: Client): Promise<readonly Exchange[]> {
  const args = { code: script };
  const result = await client.callTool({ name: 'execute', arguments: args });
  strictEqual(textOf(result), '45');
  return [{ call: JSON.stringify({ name: 'execute', arguments: args }), result: textOf(result) }];
}

async function callOneByOne(client: Client): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  let sum = 0;
  for (let step = 0; step < calls; step++) {
    const name = `step_${step}`;
    const result = await client.callTool({ name, arguments: { sum } });
    exchanges.push({ call: JSON.stringify({ name, arguments: { sum } }), result: textOf(result) });
    ({ sum } = result.structuredContent as { sum: number });
  }
  strictEqual(sum, 45);
  return exchanges;
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Counts what a model reads: its tools and the conversation so far, again for each response. The same in every run. */
async function tokenRow(code: Client, direct: Client): Promise<BenchRow> {
  const ours = await tokensOf(code, await runScript(code));
  const peer = await tokensOf(direct, await callOneByOne(direct));
  const name = `${calls} tools, tokens that a model reads until it has the sum`;
  return { group, name, unit: 'tokens', ours, peer, peerName: `${calls} client calls`, ratio: ours / peer };
}

async function tokensOf(client: Client, exchanges: readonly Exchange[]): Promise<number> {
  const { tools: listed } = await client.listTools();
  let context = countTokens(
    listed.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema })).join('\n'),
  );
  let read = context;
  for (const { call, result } of exchanges) {
    context += countTokens(call) + countTokens(result);
    read += context;
  }
  return read;
}
