import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectMcp, generations, textOf } from '@ravi/mcp-testing';
import type { Generation, McpTestClient } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const dockerPackage = join(import.meta.dirname, '../../../packages/sandboxes/docker/src/index.ts');
const docker = './docker.mjs';

// Says in which language a script would run. The scripts of the engine itself are tested at its package.
const polyglot = `
export default {
  name: 'polyglot', port: 'sandbox', configSchema: { type: 'object' },
  create: ({ languages }) => ({
    name: 'polyglot',
    supports: { languages, isolation: 'none', limits: [], detectsDeadlock: false, marksTurns: ['javascript'] },
    run: async ({ language }) => ({ status: 'ok', value: JSON.stringify(language), durationMs: 1, consoleDroppedBytes: 0 }),
    async [Symbol.asyncDispose]() {},
  }),
};`;

const files = {
  'polyglot.mjs': polyglot,
  'docker.mjs': `export { default } from ${JSON.stringify(pathToFileURL(dockerPackage).href)};`,
};

async function languageOf({ client }: McpTestClient): Promise<unknown> {
  const { tools } = await client.listTools();
  return tools.find(({ name }) => name === 'execute')?.inputSchema.properties?.['language'];
}

async function withSandbox(
  generation: Generation,
  sandbox: object | undefined,
  check: (mcp: McpTestClient) => Promise<void>,
): Promise<void> {
  const config = sandbox === undefined ? {} : { plugins: { sandbox } };
  await using server = await startServer(config as never, files, { isServer: true });
  await using mcp = await connectMcp(server.url, generation);
  await check(mcp);
}

const both = ['javascript', 'python'];

for (const generation of generations) {
  test(`execute offers ${generation} no language without a sandbox for Python, and refuses one`, async () => {
    for (const sandbox of [undefined, { use: docker, languages: ['javascript'] }]) {
      await withSandbox(generation, sandbox, async (mcp) => {
        assert.equal(await languageOf(mcp), undefined);
        const refused = await mcp.call('execute', { code: '1', language: 'python' });
        assert.equal(refused.isError, true);
        assert.match(textOf(refused), /"language" is not known.* \[E_ARGUMENTS_INVALID\]/);
      });
    }
  });

  test(`execute offers ${generation} the languages of a docker sandbox`, async () => {
    await withSandbox(generation, { use: docker }, async (mcp) => {
      assert.deepEqual(await languageOf(mcp), { enum: both, description: 'javascript when absent' });
      const { tools } = await mcp.client.listTools();
      assert.match(tools[0]?.description ?? '', /With language "python" the script is Python/);
    });
    await withSandbox(generation, { use: docker, languages: ['python'] }, async (mcp) => {
      assert.deepEqual(await languageOf(mcp), { enum: ['python'], description: 'python when absent' });
    });
  });

  test(`a script of ${generation} runs in the language that it names, or in the first one`, async () => {
    await withSandbox(generation, { use: './polyglot.mjs', languages: both }, async (mcp) => {
      assert.equal(textOf(await mcp.call('execute', { code: '1' })), 'javascript');
      assert.equal(textOf(await mcp.call('execute', { code: '1', language: 'javascript' })), 'javascript');
      assert.equal(textOf(await mcp.call('execute', { code: '1', language: 'python' })), 'python');
      const refused = await mcp.call('execute', { code: '1', language: 'cobol' });
      assert.equal(textOf(refused), '"language" must be one of javascript, python [E_ARGUMENTS_INVALID]');
    });
    await withSandbox(generation, { use: './polyglot.mjs', languages: ['python'] }, async (mcp) => {
      assert.equal(textOf(await mcp.call('execute', { code: '1' })), 'python');
    });
  });
}
