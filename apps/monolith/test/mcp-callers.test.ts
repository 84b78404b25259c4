import assert from 'node:assert/strict';
import { connectMcp, generations, textOf } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const tool = (name: string, callers: string): string => `
export default { name: '${name}', description: 'Says its name.', risk: 'safe', inputSchema: { type: 'object' }${callers},
  async execute() { return { content: [{ type: 'text', text: '${name} ran' }], isError: false }; } };`;

const files = {
  'tools/both.mjs': tool('both', ''),
  'tools/by_hand.mjs': tool('by_hand', ", allowedCallers: ['direct']"),
  'tools/by_script.mjs': tool('by_script', ", allowedCallers: ['chain']"),
  'tools/by_none.mjs': tool('by_none', ', allowedCallers: []'),
};
const names = ['both', 'by_hand', 'by_script', 'by_none'];

for (const generation of generations) {
  test(`with the tools one by one, a client of ${generation} sees exactly those that direct callers may call, and each of them runs`, async () => {
    await using server = await startServer({}, files, { isServer: true });
    await using mcp = await connectMcp(`${server.url}/mcp?mode=tools`, generation);
    const { tools } = await mcp.client.listTools();
    const listed = tools.map(({ name }) => name).filter((name) => names.includes(name));
    assert.deepEqual(listed.toSorted(), ['both', 'by_hand']);
    for (const name of listed) {
      const result = await mcp.call(name);
      assert.deepEqual([result.isError, textOf(result)], [undefined, `${name} ran`]);
    }
    for (const name of ['by_script', 'by_none']) await assert.rejects(mcp.call(name), /There is no tool/);
    const { body } = await server.get('/v1/tools');
    const ofApi = (body.items as { name: string; allowedCallers?: string[] }[]).filter(({ name }) =>
      names.includes(name),
    );
    assert.deepEqual(Object.fromEntries(ofApi.map(({ name, allowedCallers }) => [name, allowedCallers])), {
      both: undefined,
      by_hand: ['direct'],
      by_script: ['chain'],
      by_none: [],
    });
  });

  test(`in code mode, a client of ${generation} finds and describes exactly the tools that its scripts may call`, async () => {
    await using server = await startServer({}, files, { isServer: true });
    await using mcp = await connectMcp(server.url, generation);
    const found = textOf(await mcp.call('search', { query: '' }));
    const { tools } = await mcp.client.listTools();
    const overview = tools.find(({ name }) => name === 'execute')?.description ?? '';
    for (const name of names) {
      const isForScripts = name === 'both' || name === 'by_script';
      const word = new RegExp(`\\b${name}\\b`);
      assert.equal(word.test(found), isForScripts, `search: ${name} in ${found}`);
      assert.equal(word.test(overview), isForScripts, `execute: ${name}`);
      const described = await mcp.call('describe', { name });
      assert.equal(described.isError ?? false, !isForScripts, textOf(described));
      const ran = await mcp.execute(`return await tools.${name}()`);
      assert.equal(ran.isError ?? false, !isForScripts, textOf(ran));
      if (isForScripts) assert.equal(textOf(ran), `${name} ran`);
    }
    assert.doesNotMatch(found, /tool_chain|search_tools/);
  });
}
