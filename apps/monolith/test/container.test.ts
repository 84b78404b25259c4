import assert from 'node:assert/strict';
import { Toolbox, ToolInvoker } from '@ravi/agents';
import { tokens } from '@ravi/monolith';
import type { Services } from '@ravi/monolith';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

test('every token resolves to one and the same service each time', async () => {
  await using server = await startServer();
  const { container } = server.monolith;
  const registered = (Object.keys(tokens) as (keyof Services)[]).filter((name) => container.isRegistered(tokens[name]));
  // No configuration here names a state store; everything else must be there.
  assert.deepEqual(
    Object.keys(tokens).filter((name) => !registered.includes(name as keyof Services)),
    ['stateStore'],
  );
  for (const name of registered) {
    const service: unknown = container.resolve(tokens[name] as symbol);
    assert.notEqual(service, undefined, name);
    assert.equal(container.resolve(tokens[name] as symbol), service, name);
  }
});

test('there is one Toolbox and one ToolInvoker, and HTTP and scripts go through them', async () => {
  await using server = await startServer();
  const { container } = server.monolith;
  const [toolbox, invoker] = [container.resolve(tokens.toolbox), container.resolve(tokens.invoker)];
  assert.ok(toolbox instanceof Toolbox);
  assert.ok(invoker instanceof ToolInvoker);
  assert.equal(invoker.registry, toolbox);
  assert.equal(invoker.hooks, container.resolve(tokens.hooks));
  assert.equal(invoker.artifactStore, container.resolve(tokens.blobStore));

  const seen: string[] = [];
  invoker.hooks.observe('tool-end', ({ tool, caller }) => void seen.push(`${caller} ${tool}`));
  await server.post('/v1/tools/echo', { arguments: {} });
  await server.chain('return await tools.echo({ word: "hello" })');
  await server.post('/v1/tools/tool_chain', { arguments: { code: 'return await tools.echo({})' } });
  assert.deepEqual(seen, ['direct echo', 'chain echo', 'chain echo', 'direct tool_chain']);
});

test('two processes in one share nothing', async () => {
  await using left = await startServer();
  await using right = await startServer();
  for (const name of ['toolbox', 'invoker', 'hooks', 'httpApp', 'blobStore'] as const) {
    assert.notEqual(left.monolith.container.resolve(tokens[name]), right.monolith.container.resolve(tokens[name]), name);
  }
});
