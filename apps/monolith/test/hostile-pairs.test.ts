import assert from 'node:assert/strict';
import { hostilePairs } from '@ravi/testkit/hostile';
import { afterAll, beforeAll, test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { canMeasureThreads, mainThreadMs, startProcess } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';

const maxMsPerResponse = 500;

let installation: TestInstallation;
let server: ServerProcess;
let url: string;
let runId: string;

beforeAll(async () => {
  installation = await createInstallation({});
  server = startProcess(installation.folder, ['--config', installation.configPath, '--port', '0']);
  url = await server.url();
  ({ runId } = (await send('POST', '/v1/chains', { code: 'return 1' })).body as { runId: string });
});
afterAll(async () => {
  server[Symbol.dispose]();
  await server.exit;
  await installation[Symbol.asyncDispose]();
});

async function send(
  method: string,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Returns the most that the main thread of the server worked between two responses of `/health` while `act` runs, in milliseconds. */
async function mostWorkMs(act: () => Promise<void>): Promise<number> {
  let isDone = false;
  let most = 0;
  const askHealth = async (): Promise<void> => {
    while (!isDone) {
      const before = mainThreadMs(server);
      assert.equal((await fetch(`${url}/health`)).status, 200);
      most = Math.max(most, mainThreadMs(server) - before);
    }
  };
  await Promise.all([act().finally(() => (isDone = true)), askHealth()]);
  return most;
}

for (const { name, create } of hostilePairs) {
  test(`/health responds while a script is saved, listed, checked and run: ${name}`, async (context) => {
    if (!canMeasureThreads) return context.skip('the system does not tell the processor time of threads');
    const { schema: inputSchema, value: input } = create();
    const act = async (): Promise<void> => {
      const saved = await send('PUT', '/v1/snippets/hostile', { runId, description: 'x', inputSchema });
      assert.ok([201, 400, 413, 422].includes(saved.status), JSON.stringify(saved).slice(0, 500));
      await send('POST', '/v1/chains/check', { code: 'return await tools.hostile({})' });
      const ran = await send('POST', '/v1/snippets/hostile/run', { input });
      if (ran.status >= 400) {
        const { error } = ran.body as { readonly error: { readonly code: string; readonly message: string } };
        // A value too large for any request is refused before its schema is read.
        if (error.code === 'E_REQUEST_INVALID')
          assert.match(error.message, /^The body (holds more than 262144 values|nests deeper than 256 levels)$/);
        else assert.match(error.code, /^E_(SNIPPET_INVALID|ARGUMENTS_INVALID|SNIPPET_UNKNOWN)$/, JSON.stringify(error));
      }
      await fetch(`${url}/v1/snippets/hostile`, { method: 'DELETE' });
    };
    const workMs = await mostWorkMs(act);
    assert.ok(workMs <= maxMsPerResponse, `worked ${Math.round(workMs)} ms`);
    return undefined;
  });
}
