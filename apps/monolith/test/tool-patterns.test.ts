import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { serveHttp } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const names = ['read', 'delete all', 'delete_one', 'Delete'];
const script = { tools: () => names.map((name) => ({ name, description: 'Works.', inputSchema: { type: 'object' } })) };

test('a pattern with a prefix means the same tools in every key, by the names that their server gave them', async () => {
  await using remote = await serveHttp(script);
  const source = 'my__server';
  const start = (more: RaviConfig, options: object = {}): Promise<TestServer> => {
    const entry = {
      use: '@ravi/mcp',
      name: source,
      url: remote.url,
      risk: { '*': 'safe' },
      allowPrivateAddresses: true,
      ...options,
    };
    return startServer({ ...more, plugins: { toolSource: [entry] } }, {}, { isServer: true });
  };
  /** Own names of the tools that are listed, and of those that the agent may call. */
  const seen = async (server: TestServer): Promise<readonly (readonly string[])[]> => {
    const own = (name: string): readonly string[] =>
      names.filter((each) => name.startsWith(`my__server__${each.replace(' ', '_')}_`));
    const { items } = (await server.get('/v1/tools')).body;
    const [agent] = (await server.get('/v1/agents')).body.items;
    return [items.map(({ name }: { name: string }) => name), agent.tools].map((all) => all.flatMap(own));
  };
  const deny = ['mcp:my__server/delete all', 'mcp:my*/*_one'];
  const rest = ['read', 'Delete'];
  {
    await using server = await start({});
    assert.deepEqual(await seen(server), [names, names]);
  }
  {
    await using server = await start({ toolAccess: { disabled: deny } });
    assert.deepEqual(await seen(server), [rest, rest]);
    const { items } = (await server.get('/v1/sources')).body;
    const [{ name }] = items
      .find((one: { name: string }) => one.name === source)
      .tools.filter((tool: { name: string }) => tool.name.includes('__delete_all'));
    const { body } = await server.post(`/v1/tools/${name}`, { args: {} });
    assert.deepEqual([body.status, body.error.code], ['error', 'E_TOOL_UNKNOWN']);
  }
  {
    await using server = await start({ agent: { tools: { deny } } });
    assert.deepEqual(await seen(server), [names, rest]);
  }
  {
    await using server = await start({}, { deny });
    assert.deepEqual(await seen(server), [rest, rest]);
  }
  {
    await using server = await start({
      toolAccess: { disabled: ['openapi:my__server/*', 'mcp:my__srver/*', 'mcp:my__server/raed'] },
    });
    assert.deepEqual(await seen(server), [names, names]);
    assert.deepEqual((await server.get('/v1/settings')).body.warnings, [
      'toolAccess.disabled: the pattern "openapi:my__server/*" matches no tool; did you mean mcp:my__server/*?',
      'toolAccess.disabled: the pattern "mcp:my__srver/*" matches no tool; did you mean mcp:my__server/*?',
      'toolAccess.disabled: the pattern "mcp:my__server/raed" matches no tool; did you mean mcp:my__server/read?',
    ]);
  }
});
