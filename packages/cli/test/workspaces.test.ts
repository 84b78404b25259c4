import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const configuration = {
  workspaces: { shop: { path: './shop', load: false } },
  agents: { keeper: { workspace: 'shop' } },
};
const tool = `export default {
  name: 'stock', description: 'Counts.', risk: 'safe', inputSchema: { type: 'object' },
  execute: async () => ({ content: [], isError: false }),
};`;

test('workspaces ls, load and unload list and change them, and say what is broken', async () => {
  await using server = await startServer({
    'ravi.config.json': JSON.stringify(configuration),
    'shop/tools/stock.mjs': tool,
    'shop/tools/broken.mjs': 'export default 1;',
  });
  const listed = await server.ravi(['workspaces', 'ls']);
  assert.equal(listed.code, 0, listed.errors);
  assert.match(listed.output, /^shop +shop +not loaded +agents keeper$/m);
  const loaded = await server.ravi(['workspaces', 'load', 'shop']);
  assert.equal(loaded.code, 1);
  assert.match(loaded.output, /1 tools, 0 skills/);
  assert.match(loaded.errors, /shop\/broken\.mjs: /);
  const unloaded = await server.ravi(['workspaces', 'unload', 'shop', '--json']);
  assert.deepEqual([unloaded.code, JSON.parse(unloaded.output).isLoaded], [0, false]);
  const unknown = await server.ravi(['workspaces', 'load', 'shpo']);
  assert.deepEqual([unknown.code, /did you mean "shop"/.test(unknown.errors)], [2, true]);
});
