import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generations, runIdOf, textOf } from '@ravi/mcp-testing';
import { openMonolith, serve, tokens } from '@ravi/monolith';
import type { Monolith } from '@ravi/monolith';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { connectStdio } from './support/mcp-stdio.ts';
import { startServer } from './support/server.ts';

const launches = (folder: string): Promise<string> => readFile(join(folder, 'launches.txt'), 'utf8').catch(() => '');

/** A server that can be away. */
interface RestartingServer extends AsyncDisposable {
  readonly url: string;
  readonly monolith: () => Monolith;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Prepares a server of a folder at a port that is free now. */
async function createServerOf(cwd: string): Promise<RestartingServer> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  let opened = new AsyncDisposableStack();
  let monolith: Monolith | undefined;
  const stop = (): Promise<void> => opened.disposeAsync();
  return {
    url: `http://127.0.0.1:${port}`,
    monolith: () => monolith ?? assert.fail(),
    async start() {
      opened = new AsyncDisposableStack();
      monolith = opened.use(await openMonolith({ cwd, env: {}, isServer: true }));
      opened.use(await serve(monolith, { port, graceMs: 0 }));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const tool = {
  name: 'late',
  description: 'Came later.',
  risk: 'safe' as const,
  inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text' as const, text: 'here' }], isError: false }),
};

for (const generation of generations) {
  test(`a client of ${generation} keeps its connection when the server is away at the start, ends, and starts again`, async () => {
    await using own = await createFolder();
    await using server = await createServerOf(own.folder);
    // The server is not there yet.
    await using mcp = await connectStdio(own.folder, generation, { args: ['--server', server.url] });
    const early = await mcp.execute('return 1');
    assert.equal(early.isError, true);
    assert.match(textOf(early), /\[E_SERVER_UNREACHABLE\]/);
    await assert.rejects(mcp.client.listTools(), /No server answers/);

    await server.start();
    assert.equal((await mcp.client.listTools()).tools.length, 5);
    const paused = await mcp.execute('const sum = await tools.add({ a: 1, b: 2 }); await tools.launch(); return sum');
    const { approvals } = paused.structuredContent as { approvals: { id: string }[] };

    await server.stop();
    const away = await mcp.call('status', { run_id: runIdOf(paused) });
    assert.match(textOf(away), /\[E_SERVER_UNREACHABLE\]/);
    await server.start();
    assert.match(textOf(await mcp.call('status', { run_id: runIdOf(paused) })), /is paused/);
    const response = await fetch(`${server.url}/v1/approvals/${approvals[0]?.id}/decision`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approved' }),
    });
    assert.equal(response.status, 200);
    assert.equal(textOf(await mcp.call('resume', { run_id: runIdOf(paused) })), '3', mcp.errors());
    assert.equal(await launches(own.folder), 'launch\n');
  });

  test(`a client of ${generation} of a process with --server learns that the tools of the server have changed`, async () => {
    await using server = await startServer();
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    await using mcp = await connectStdio(server.folder, generation, {
      args: ['--server', server.url],
      listChanged: resolve,
    });
    assert.equal((await mcp.client.listTools()).tools.length, 5);
    const toolbox = server.monolith.container.resolve(tokens.toolbox);
    let isKnown = false;
    // The process may look for the first time after the first change.
    const changing = setInterval(() => {
      toolbox.setSource('late', isKnown ? [] : [tool]);
      isKnown = !isKnown;
    }, 7_000);
    toolbox.setSource('late', [tool]);
    try {
      await changed;
    } finally {
      clearInterval(changing);
    }
    toolbox.setSource('late', [tool]);
    assert.equal(textOf(await mcp.execute('return await tools.late()')), 'here');
  }, 60_000);

  test(`a client of ${generation} of a process with --server reaches no run of another caller, whose token is another`, async () => {
    const [ann, bob] = ['a'.repeat(40), 'b'.repeat(40)];
    const config = {
      tools: ['./tools'],
      server: {
        tokens: [
          { principal: 'ann', roles: ['run', 'approve'], token: { $env: 'ANN' } },
          { principal: 'bob', roles: ['run', 'approve'], token: { $env: 'BOB' } },
        ],
      },
    };
    const files = { 'ravi.config.json': JSON.stringify(config) };
    await using server = await startServer(files, { ANN: ann, BOB: bob });
    const args = ['--server', server.url];
    await using first = await connectStdio(server.folder, generation, { args, env: { RAVI_TOKEN: ann } });
    await using second = await connectStdio(server.folder, generation, {
      args,
      env: { RAVI_TOKEN: bob },
      onAsk: () => ({ action: 'accept', content: { decision: 'approve' } }),
    });
    const paused = await first.execute('return await tools.launch()');
    for (const name of ['resume', 'status']) {
      assert.match(textOf(await second.call(name, { run_id: runIdOf(paused) })), /E_RUN_NOT_FOUND/);
    }
    assert.equal(await launches(server.folder), '');
    await using wrong = await connectStdio(server.folder, generation, { args, env: { RAVI_TOKEN: 'x'.repeat(40) } });
    assert.match(textOf(await wrong.execute('return 1')), /E_UNAUTHENTICATED|E_UNAUTHORIZED/);
  });
}
