import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { startServer, stateStoreOf } from './support/server.ts';

test('a decision while the engine cannot be reached is refused with 503, changes nothing, and counts later', async () => {
  await using server = await startServer({ approvals: { mode: 'pause' } }, {}, { isServer: true });
  const code = `return await tools.launch({ target: 'moon' })`;
  const { body: run } = await server.post('/v1/runs', { kind: 'chain', code });
  const untilStatus = async (status: string): Promise<void> => {
    while ((await server.get(`/v1/runs/${run.id}`)).body.status !== status) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await untilStatus('paused');
  const [asked] = (await server.get('/v1/approvals?status=pending')).body.items;
  let isAway = false;
  // In the place of an engine that is part of transactions.
  const connection = await stateStoreOf(server.monolith).wakes.attach({
    when: 'within',
    async wake() {
      if (isAway) throw new KernelError('E_ENGINE_UNAVAILABLE', 'The engine is gone', { retryable: true });
    },
  });
  isAway = true;
  const decide = (): ReturnType<typeof server.post> =>
    server.post(`/v1/approvals/${asked.id}/decision`, { decision: 'approved' });
  const refused = await decide();
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'E_ENGINE_UNAVAILABLE']);
  const { items } = (await server.get('/v1/approvals?status=pending')).body;
  assert.deepEqual([items.length, items[0].id], [1, asked.id]);
  connection[Symbol.dispose]();
  assert.equal((await decide()).status, 200);
  await untilStatus('completed');
  assert.deepEqual(await server.installation.launches(), ['launch moon']);
});
