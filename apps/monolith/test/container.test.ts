import assert from 'node:assert/strict';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { tokens } from '@ravi/monolith';
import type { InjectionToken } from 'tsyringe';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

// One type for all tokens; the types of `tokens` check which part belongs to which.
const anyTokens: Readonly<Record<string, InjectionToken<unknown>>> = tokens;
const telemetry = ['telemetryProviders', 'telemetry'];
const durable = ['stateStore', 'runEngine', 'approvalFeed', 'durable', 'triggers', 'sharedBudgets', 'eventSources'];

for (const { where, options, absent } of [
  { where: 'without a state store', options: {}, absent: [...telemetry, ...durable, 'callerApprovals'] },
  { where: 'of a server', options: { isServer: true }, absent: [...telemetry, 'approvalHandler'] },
]) {
  test(`every token ${where} resolves to the same part each time`, async () => {
    await using server = await startServer({}, {}, options);
    const { container } = server.monolith;
    for (const [name, token] of Object.entries(anyTokens)) {
      const part = container.resolve(token);
      assert.equal(part === undefined, absent.includes(name), name);
      assert.equal(container.resolve(token), part, name);
    }
  });
}

test('there is one Toolbox and one ToolInvoker, and HTTP and scripts go through them', async () => {
  await using server = await startServer();
  const { container } = server.monolith;
  const [toolbox, invoker] = [container.resolve(tokens.toolbox), container.resolve(tokens.invoker)];
  assert.ok(toolbox instanceof Toolbox);
  assert.ok(invoker instanceof ToolInvoker);
  assert.equal(invoker.registry, toolbox);
  assert.equal(invoker.hooks, container.resolve(tokens.hooks));
  assert.equal(invoker.artifactStore, container.resolve(tokens.artifactQuota).store);

  const seen: string[] = [];
  invoker.hooks.observe('tool-result', ({ tool, caller }) => void seen.push(`${caller} ${tool}`));
  await server.post('/v1/tools/echo', { args: {} });
  await server.chain('return await tools.echo({ word: "hello" })');
  await server.post('/v1/tools/tool_chain', { args: { code: 'return await tools.echo({})' } });
  assert.deepEqual(seen, ['direct echo', 'chain echo', 'chain echo', 'direct tool_chain']);
});

test('two processes in one share nothing', async () => {
  await using left = await startServer();
  await using right = await startServer();
  for (const name of ['toolbox', 'invoker', 'hooks', 'httpApp', 'blobStore']) {
    const token = anyTokens[name] ?? name;
    assert.notEqual(left.monolith.container.resolve(token), right.monolith.container.resolve(token), name);
  }
});
