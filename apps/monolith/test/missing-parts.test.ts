import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { operations } from '@ravi/api';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

const isBuilt = existsSync(new URL('../../console/dist/app/index.html', import.meta.url));
const namesOf = (missing: readonly { readonly part: string }[]): readonly string[] => missing.map(({ part }) => part);

test('without a state store every operation works, or names the part that is missing', async () => {
  await using server = await startServer();
  assert.deepEqual(namesOf((await server.get('/v1/settings')).body.missing), ['runs', 'approvals']);
  const refused: string[] = [];
  // These do not respond with JSON.
  const others = new Set(['/metrics']);
  for (const { operation } of operations) {
    if (operation.method !== 'get' || others.has(operation.path)) continue;
    const { status, body } = await server.get(operation.path.replaceAll(/\{\w+\}/g, 'x'));
    assert.notEqual(body.error?.code, 'E_ROUTE_UNKNOWN', operation.path);
    if (status !== 501) continue;
    refused.push(operation.path);
    assert.equal(body.error.code, 'E_NOT_CONFIGURED');
    assert.match(body.error.message, /configure plugins\.stateStore|plugins\.approvalHandler/);
  }
  assert.ok(refused.includes('/v1/runs') && refused.includes('/v1/approvals'), refused.join(' '));
  const started = await server.post('/v1/runs', { kind: 'agent', task: 'x' });
  assert.match(started.body.error.message, /^Runs.* need a state store: configure plugins\.stateStore/);
});

test('with a handler that decides, runs are there, and approvals name the handler', async () => {
  const plugins = { approvalHandler: { use: '@ravi/approval-auto', rules: [] } };
  await using server = await startServer({ plugins }, {}, { isServer: true });
  assert.deepEqual(namesOf((await server.get('/v1/settings')).body.missing), ['approvals']);
  assert.equal((await server.get('/v1/runs')).status, 200);
  const { status, body } = await server.get('/v1/approvals');
  assert.deepEqual([status, body.error.code], [501, 'E_NOT_CONFIGURED']);
  assert.match(body.error.message, /^@ravi\/approval-auto \(plugins\.approvalHandler\) decides approvals/);
});

test('an unknown caller is refused before a part that is missing is named', async () => {
  const tokens = [{ principal: 'ada', roles: ['run' as const], tokenSha256: '0'.repeat(64) }];
  await using server = await startServer({ server: { tokens } });
  assert.equal((await server.get('/v1/runs')).status, 401);
});

test.skipIf(!isBuilt)('the console is served with every approval handler, and without a state store', async () => {
  const handlers = [undefined, { use: '@ravi/approval-auto', rules: [] }, { use: '@ravi/approval-cli' }];
  for (const approvalHandler of handlers) {
    for (const isServer of [true, false]) {
      const plugins = approvalHandler === undefined ? {} : { approvalHandler };
      await using server = await startServer({ plugins }, {}, { isServer });
      const response = await fetch(`${server.url}/`);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /text\/html/);
    }
  }
});
