import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

test('calls of invented tools share one label, also when there is no budget left', async () => {
  await using server = await startServer({ policy: { maxScriptCalls: 30 } });
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
