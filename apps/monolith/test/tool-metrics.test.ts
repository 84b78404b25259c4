import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { HookManager } from '@ravi/invoker';
import { silentLogger, systemClock } from '@ravi/kernel';
import { test } from 'vitest';
import { createToolMetrics } from '../src/tools/tool-metrics.ts';
import { startServer } from './support/server.ts';

test('calls of invented tools share one label, also when there is no budget left', async () => {
  await using server = await startServer({ policy: { maxScriptCalls: 30 } });
  // `any`, because the check of scripts refuses a tool that does not exist.
  const code = `
    for (let count = 0; count < 40; count++) {
      try { await (tools as any)['invented_' + count]({}); } catch {}
    }
    return 1;`;
  await server.chain(code);
  for (let count = 0; count < 5; count++) await server.post(`/v1/tools/made_up_${count}`, { args: {} });
  assert.equal((await server.post('/v1/tools/echo', { args: {} })).status, 200);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.doesNotMatch(metrics, /invented|made_up/);
  assert.match(metrics, /ravi_tool_calls_total\{tool="echo"\} 1\n/);
});

test('a call whose outcome an earlier process recorded is not counted again', () => {
  const hooks = new HookManager({ clock: systemClock, logger: silentLogger });
  const metrics = createToolMetrics(hooks);
  const scope = { type: 'tool-result', runId: 'run', sessionId: 's', caller: 'direct', argsPreview: '{}' } as const;
  const ended = { ...scope, tool: 'mail', status: 'ok', durationMs: 7 } as const;
  hooks.emit({ ...ended, callId: 'call_1', wasRecorded: true });
  assert.equal(metrics.of('mail').calls, 0);
  hooks.emit({ ...ended, callId: 'call_2', status: 'error', errorCode: 'E_CALL_UNKNOWN' });
  assert.deepEqual(metrics.of('mail'), { calls: 1, errors: 1, denials: 0, p50: 7, p95: 7 });
});

for (const kind of ['chain', 'agent'] as const) {
  test(`a call that waits for approval is counted when it ends, not when its run pauses: ${kind}`, async () => {
    const code = 'return await tools.launch({})';
    await using server = await startServer(
      { approvals: { mode: 'pause' }, agent: { demoScript: './demo.ts' } },
      { 'demo.ts': code },
      { isServer: true },
    );
    const { body: run } = await server.post('/v1/runs', kind === 'chain' ? { kind, code } : { kind, task: 'Start' });
    const ended = async (status: string): Promise<void> => {
      while ((await server.get(`/v1/runs/${run.id}`)).body.status !== status) await pause(20);
    };
    await ended('paused');
    const launched = async (): Promise<readonly string[]> => {
      const lines = (await (await fetch(`${server.url}/metrics`)).text()).split('\n');
      return lines.filter((line) =>
        /^ravi_tool_(?:calls|errors)_total\{tool="(?:launch|_OTHER|tool_chain)"\}/.test(line),
      );
    };
    assert.deepEqual(await launched(), []);
    const { body: approvals } = await server.get(`/v1/approvals?runId=${run.id}`);
    await server.post(`/v1/approvals/${approvals.items[0]?.id}/decision`, { decision: 'approved' });
    await ended('completed');
    const chainLines = kind === 'agent' ? ['ravi_tool_calls_total{tool="tool_chain"} 1'] : [];
    assert.deepEqual((await launched()).filter((line) => line.startsWith('ravi_tool_calls')).toSorted(), [
      'ravi_tool_calls_total{tool="launch"} 1',
      ...chainLines,
    ]);
    assert.deepEqual(
      (await launched()).filter((line) => / [1-9]/.test(line) && line.includes('errors')),
      [],
    );
  });
}
