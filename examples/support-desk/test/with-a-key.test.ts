import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@ravi/client';
import { openMonolith, serve } from '@ravi/monolith';
import { startLoopbackServer } from '@ravi/testkit';
import { test, vi } from 'vitest';

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

test('with the key of a provider the desk asks its model, with the system prompt and the tools of the configuration', async () => {
  const answer = [chunk({ content: 'Hello from the provider.' }), chunk({}, 'stop'), 'data: [DONE]\n\n'];
  await using models = await startLoopbackServer(() => ({ body: answer }));
  const env = { OPENAI_API_KEY: 'sk-loopback', OPENAI_BASE_URL: `${models.url}/v1`, RAVI_MODEL: 'gpt-5-mini' };
  vi.stubEnv('OPENAI_API_KEY', env.OPENAI_API_KEY);
  const data = await mkdtemp(join(tmpdir(), 'ravi-support-desk-'));
  try {
    const configPath = join(import.meta.dirname, '../ravi.config.ts');
    await using monolith = await openMonolith({
      configPath,
      cwd: data,
      env: { ...env, RAVI_DATA: data },
      isServer: true,
    });
    await using server = await serve(monolith, { port: 0, graceMs: 0 });
    const { runs } = createClient({ baseUrl: server.url });
    const { id } = await runs.start({ kind: 'agent', task: 'Hello' });
    for await (const { type } of runs.events(id)) if (type === 'run-end') break;
    const { outcome } = await runs.get(id);
    assert.deepEqual(outcome?.result, { reason: 'answer', text: 'Hello from the provider.' });
    const asked = JSON.stringify(models.requests[0]?.body);
    assert.match(asked, /You are the support desk of a shop/);
    assert.match(asked, /"name":"refunds"/);
  } finally {
    vi.unstubAllEnvs();
    await rm(data, { recursive: true, force: true });
  }
});
