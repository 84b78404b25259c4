import assert from 'node:assert/strict';
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
