import assert from 'node:assert/strict';
import { connectMcp, generations, runIdOf, textOf } from '@ravi/mcp-testing';
import type { Generation } from '@ravi/mcp-testing';
import { openMonolith, serve } from '@ravi/monolith';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

/** A case: the tools that the client sees, the decision, and whether the server restarts before it. */
interface Case {
  readonly generation: Generation;
  readonly mode: 'code' | 'tools';
  readonly decision: 'approved' | 'denied';
  readonly restart: 'none' | 'before the decision';
}

const cases: readonly Case[] = generations.flatMap((generation) =>
  (['code', 'tools'] as const).flatMap((mode) =>
    (['approved', 'denied'] as const).flatMap((decision) =>
      (['none', 'before the decision'] as const).map((restart) => ({
        generation,
        mode,
        decision,
        restart,
      })),
    ),
  ),
);

for (const { generation, mode, decision, restart } of cases) {
  test(`${generation}, ${mode}: a call that is ${decision}, with a restart: ${restart}`, async () => {
    await using first = await startServer({}, {}, { isServer: true });
    const { folder: cwd, configPath } = first.installation;
    await using opened = new AsyncDisposableStack();
    let { url } = first;
    const path = mode === 'code' ? '' : '?mode=tools';

    async function again(): Promise<void> {
      await first.shutDown();
      const monolith = opened.use(await openMonolith({ cwd, configPath, env: {}, isServer: true }));
      ({ url } = opened.use(await serve(monolith, { port: 0, graceMs: 0 })));
    }

    async function call(name: string, args: Record<string, unknown>): ReturnType<typeof mcpCall> {
      return mcpCall(url, path, generation, name, args);
    }

    const paused =
      mode === 'code'
        ? await call('execute', { code: 'await tools.echo({}); return await tools.launch({ target: "moon" })' })
        : await call('launch', { target: 'moon' });
    const runId = runIdOf(paused);
    const { approvals } = paused.structuredContent as { approvals: { id: string }[] };
    assert.deepEqual(await first.installation.launches(), []);
    if (restart === 'before the decision') await again();
    const response = await fetch(`${url}/v1/approvals/${approvals[0]?.id}/decision`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ decision, reason: 'because' }),
    });
    assert.equal(response.status, 200);
    const result = await call('resume', { run_id: runId });
    assert.equal(result.isError ?? false, decision === 'denied', textOf(result));
    assert.match(textOf(result), decision === 'denied' ? /because/ : /^launched$/);
    assert.deepEqual(await first.installation.launches(), decision === 'denied' ? [] : ['launch moon']);
    // The result of a run that has ended stays.
    assert.equal(textOf(await call('resume', { run_id: runId })), textOf(result));
  });
}

async function mcpCall(
  url: string,
  path: string,
  generation: Generation,
  name: string,
  args: Record<string, unknown>,
): Promise<Awaited<ReturnType<Awaited<ReturnType<typeof connectMcp>>['call']>>> {
  await using mcp = await connectMcp(`${url}/mcp${path}`, generation);
  return await mcp.call(name, args);
}
