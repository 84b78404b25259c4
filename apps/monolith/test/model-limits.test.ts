import assert from 'node:assert/strict';
import { test } from 'vitest';
import { until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import { callingModel, task } from './support/sub-agents.ts';

const backup = `
async function* stream() {
  yield { type: 'block', block: { type: 'text', text: 'from the backup' } };
  yield { type: 'finish', reason: 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'backup', stream });
export default { name: 'backup', port: 'modelProvider', configSchema: { type: 'object', additionalProperties: false }, create };
`;

test('a model at its limit leaves the next request to the next model of the configuration', async () => {
  const limits = { requestsPerMinute: 1, maxWaitMs: 0 };
  const modelProvider = [{ use: './model.mjs', limits }, { use: './backup.mjs' }];
  const files = { 'model.mjs': callingModel, 'backup.mjs': backup };
  await using server = await startServer({ plugins: { modelProvider } }, files, { isServer: true });
  const { body } = await server.post('/v1/runs', { kind: 'agent', task: task([['echo', {}]]) });
  assert.equal((await until(server.url, body.id, 'run-end')).text, 'from the backup');
});

test('a limit that cannot be kept is refused with its place', async () => {
  const modelProvider = [{ use: './model.mjs', limits: { requestsPerMinute: 0 } }];
  await assert.rejects(
    startServer({ plugins: { modelProvider } }, { 'model.mjs': callingModel }),
    /modelProvider.*0.*limits.*requestsPerMinute/s,
  );
});
