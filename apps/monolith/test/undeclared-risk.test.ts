import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

// The tool of a plugin that leaves out its risk, as a generated tool of an OpenAPI document or an MCP server may.
const plugin = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const tool = (name, risk) => ({
  name, description: 'Leaves a line in a file.', inputSchema: { type: 'object' }, ...(risk === undefined ? {} : { risk }),
  async execute() {
    await appendFile(join(import.meta.dirname, 'launches.txt'), name + '\\n');
    return { content: [], isError: false };
  },
});
export default {
  name: 'foreign', port: 'toolSource', configSchema: { type: 'object', additionalProperties: false },
  create() {
    const content = { tools: [tool('undeclared'), tool('declared', 'safe')], failures: [] };
    return { name: 'foreign', open: async () => ({ content: () => content, async [Symbol.asyncDispose]() {} }) };
  },
};`;

test('a tool of a plugin that declares no risk needs approval on every path; one of an own folder does not', async () => {
  await using server = await startServer(
    { plugins: { toolSource: [{ use: './foreign.mjs' }] } },
    { 'foreign.mjs': plugin },
  );
  const { body } = await server.get('/v1/tools');
  const risks = Object.fromEntries(
    (body.items as readonly { readonly name: string; readonly risk?: string }[]).map(({ name, risk }) => [name, risk]),
  );
  assert.deepEqual([risks['undeclared'], risks['declared'], risks['echo']], ['high', 'safe', 'safe']);
  assert.deepEqual(server.monolith.toolReport.undeclaredRisk.toSorted(), ['echo', 'undeclared']);
  assert.equal((await server.post('/v1/tools/undeclared', {})).body.status, 'denied');
  assert.equal((await server.chain('return (await tools.undeclared.safe({})).status')).body.value, 'denied');
  assert.deepEqual(await server.installation.launches(), []);
  assert.equal((await server.post('/v1/tools/declared', {})).body.status, 'ok');
  assert.equal((await server.post('/v1/tools/echo', {})).body.status, 'ok');
});
