import assert from 'node:assert/strict';
import { test } from 'vitest';
import { connectMcp, generations, runIdOf, textOf } from '@ravi/mcp-testing';
import { deliver, deployments, startedOf } from './support/completions.ts';
import { startServer } from './support/server.ts';

const script = 'const { target } = await tools.echo({ target: 7 }); return target * 6;';

for (const generation of generations) {
  test(`a client of ${generation} runs a script over the tools of the server`, async () => {
    await using server = await startServer({}, {}, { isServer: true });
    await using mcp = await connectMcp(server.url, generation);
    const { tools } = await mcp.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['execute', 'search', 'describe', 'resume', 'status'],
    );
    assert.match(tools[0]?.description ?? '', /launch/);
    const result = await mcp.execute(script);
    assert.deepEqual([result.isError, textOf(result)], [undefined, '42']);
    const { body } = await server.get(`/v1/runs/${runIdOf(result)}`);
    assert.deepEqual([body.status, body.principal], ['completed', 'local']);
    assert.deepEqual(
      body.trace.map(({ tool, status }: { tool: string; status: string }) => [tool, status]),
      [['echo', 'ok']],
    );
  });

  test(`a client of ${generation} that can ask its user gets approvals as questions`, async () => {
    await using server = await startServer({}, {}, { isServer: true });
    const asked: string[] = [];
    await using mcp = await connectMcp(server.url, generation, {
      onAsk({ message }) {
        asked.push(message);
        return { action: 'accept', content: { decision: 'approve' } };
      },
    });
    const result = await mcp.execute(
      'return [await tools.launch({ target: "moon" }), await tools.launch({ target: "mars" })]',
    );
    assert.equal(result.isError, undefined, textOf(result));
    assert.match(textOf(result), /launched/);
    assert.equal(asked.length, 2);
    assert.match(asked[0] ?? '', /Allow this call of launch \(risk high\)\?[^]*"target": "moon"/);
    assert.deepEqual(await server.installation.launches(), ['launch moon', 'launch mars']);
  });

  test(`a user of ${generation} who denies a call stops it, and the script reads why`, async () => {
    await using server = await startServer({}, {}, { isServer: true });
    await using mcp = await connectMcp(server.url, generation, {
      onAsk: () => ({ action: 'accept', content: { decision: 'deny', reason: 'not today' } }),
    });
    const result = await mcp.execute('return await tools.launch({ target: "moon" })');
    assert.equal(result.isError, true);
    assert.match(textOf(result), /not today/);
    assert.deepEqual(await server.installation.launches(), []);
  });

  test(`a client of ${generation} that cannot ask gets a paused run, and resume continues it after the decision`, async () => {
    await using server = await startServer({}, {}, { isServer: true });
    await using mcp = await connectMcp(server.url, generation);
    const paused = await mcp.execute('return await tools.launch({ target: "moon" })');
    const runId = runIdOf(paused);
    assert.equal(paused.isError, undefined);
    assert.ok(textOf(paused).includes(`Then call resume with run_id "${runId}"`));
    const { approvals, inbox } = paused.structuredContent as { approvals: { id: string }[]; inbox: string };
    assert.equal(inbox, `${server.url}/approvals`);
    assert.deepEqual(await server.installation.launches(), []);
    const again = await mcp.call('resume', { run_id: runId });
    assert.deepEqual(again.structuredContent, paused.structuredContent);
    const status = await mcp.call('status', { run_id: runId });
    assert.match(textOf(status), /is paused\.[^]*It waits for approval of:\n- launch, approval/);
    const { status: decided } = await server.post(`/v1/approvals/${approvals[0]?.id}/decision`, {
      decision: 'approved',
    });
    assert.equal(decided, 200);
    const resumed = await mcp.call('resume', { run_id: runId });
    assert.equal(textOf(resumed), 'launched');
    assert.deepEqual(await server.installation.launches(), ['launch moon']);
  });

  test(`a client of ${generation} reads that a call waits for its result from outside, and resume returns it`, async () => {
    const config = { policy: { maxRiskUnapproved: 'high' } } as const;
    await using server = await startServer(config, deployments, { isServer: true });
    await using mcp = await connectMcp(server.url, generation);
    const paused = await mcp.execute('return (await tools.deploy({})).version');
    const runId = runIdOf(paused);
    assert.equal((paused.structuredContent as { status?: string }).status, 'paused');
    assert.match(
      textOf(paused),
      /until the results of these calls arrive from outside: deploy\. Call resume with run_id/,
    );
    assert.match(
      textOf(await mcp.call('status', { run_id: runId })),
      /It waits for results from outside of:\n- deploy/,
    );
    const [{ token } = { token: '' }] = await startedOf(server.installation, 1);
    assert.ok(!textOf(paused).includes(token));
    assert.deepEqual(await deliver(server.url, token, { result: { version: '7' } }), [204, undefined]);
    assert.equal(textOf(await mcp.call('resume', { run_id: runId })), '7');
  });
}
