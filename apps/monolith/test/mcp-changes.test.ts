import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { connectMcp, generations, runIdOf, textOf } from '@ravi/mcp-testing';
import { tokens } from '@ravi/monolith';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

for (const generation of generations) {
  test(`a client of ${generation} receives a notice when the tools change, and sees the new ones`, async () => {
    await using server = await startServer({}, {}, { isServer: true });
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    await using mcp = await connectMcp(server.url, generation, { listChanged: resolve });
    const toolbox = server.monolith.container.resolve(tokens.toolbox);
    const late = {
      name: 'late',
      description: 'Came later.',
      risk: 'safe' as const,
      inputSchema: { type: 'object' },
      execute: async () => ({ content: [{ type: 'text' as const, text: 'here' }], isError: false }),
    };
    // The stream on which the client listens may open a moment later. The client waits until changes have stopped for a while.
    const changing = new AbortController();
    const change = async (): Promise<void> => {
      while (!changing.signal.aborted) {
        toolbox.setSource('late', [late]);
        await pause(1_000);
      }
    };
    void change();
    await changed;
    changing.abort();
    assert.equal(textOf(await mcp.execute('return await tools.late()')), 'here');
  });

  test(`a client of ${generation} that cancels a call cancels its run`, async () => {
    await using server = await startServer({}, {}, { isServer: true });
    await using mcp = await connectMcp(server.url, generation);
    const cancelling = new AbortController();
    const call = mcp.call('execute', { code: 'return await tools.wait()' }, cancelling.signal);
    const runs = async (): Promise<readonly { id: string; status: string }[]> =>
      (await server.get('/v1/runs')).body.items as { id: string; status: string }[];
    while ((await runs())[0]?.status !== 'running') await pause(20);
    cancelling.abort();
    await assert.rejects(call);
    while ((await runs())[0]?.status !== 'cancelled') await pause(20);
  });

  test(`a client of ${generation} gets progress of the calls and tools of its run`, async () => {
    const steps = `export default { name: 'steps', description: 'Makes steps.', risk: 'safe', inputSchema: { type: 'object' },
      async execute(_args, context) { context.progress({ message: 'half way' }); return { content: [], isError: false }; } };`;
    await using server = await startServer({}, { 'tools/steps.mjs': steps }, { isServer: true });
    await using mcp = await connectMcp(server.url, generation);
    const seen: (string | undefined)[] = [];
    const numbers: number[] = [];
    await mcp.client.callTool(
      { name: 'execute', arguments: { code: 'await tools.steps(); await sleep(300); await tools.echo({})' } },
      {
        onprogress({ progress, message }) {
          seen.push(message);
          numbers.push(progress);
        },
      },
    );
    for (const message of ['calls steps', 'steps: ok', 'calls echo', 'echo: ok'])
      assert.ok(seen.includes(message), message);
    assert.deepEqual(
      numbers,
      numbers.toSorted((left, right) => left - right),
    );
  });

  test(`a client of ${generation} reads a result over the inline limit by its link`, async () => {
    await using server = await startServer({}, {}, { isServer: true });
    await using mcp = await connectMcp(server.url, generation);
    const result = await mcp.execute('return "x".repeat(100_000)');
    assert.ok(textOf(result).length < 10_000);
    const links = result.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
    assert.deepEqual(links, [`ravi://runs/${runIdOf(result)}/result`]);
    const { contents } = await mcp.client.readResource({ uri: links[0] ?? '' });
    const [{ text } = {}] = contents as readonly { readonly text?: string }[];
    assert.equal(text, 'x'.repeat(100_000));
  });
}
