import assert from 'node:assert/strict';
import { test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import type { Answer, TestServer } from './support/server.ts';

const files = {
  'tools/write.mjs': `export default {
    name: 'write', description: 'Returns a text.', risk: 'safe',
    inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] },
    execute: ({ bytes }) => ({ content: [{ type: 'text', text: 'x'.repeat(bytes) }], isError: false }),
  };`,
};
const bytes = 60_000;

function write(server: TestServer, name: CallerName, args = { bytes }): Promise<Answer> {
  return server.post('/v1/tools/write', { args }, as(name));
}

async function isRefused(server: TestServer, name: CallerName): Promise<boolean> {
  const { status, body } = await write(server, name, { bytes: 1 });
  assert.equal(status, body.error === undefined ? 200 : 507, JSON.stringify(body));
  return status === 507;
}

test('a principal whose artifacts reach the limit is refused with 507 until it deletes some', async () => {
  await using server = await startSecuredServer({ maxArtifactBytes: 100_000 }, files);
  const first = await write(server, 'ada');
  assert.equal(first.status, 200);
  assert.equal(typeof first.body.artifactRef, 'string', JSON.stringify(first.body));
  assert.equal(await isRefused(server, 'ada'), false);
  assert.equal((await write(server, 'ada')).status, 200);

  const { status, body } = await write(server, 'ada', { bytes: 1 });
  assert.deepEqual([status, body.error.code], [507, 'E_ARTIFACT_QUOTA']);
  assert.match(body.error.message, /ada holds 120000 bytes.*server\.maxArtifactBytes.*100000/);
  assert.equal(await isRefused(server, 'bob'), false);
  assert.equal(await isRefused(server, 'root'), false);

  const deleted = await fetch(`${server.url}/v1/artifacts/${first.body.artifactRef}`, {
    method: 'DELETE',
    headers: as('ada'),
  });
  assert.equal(deleted.status, 204);
  assert.equal(await isRefused(server, 'ada'), false);
});

test('calls at the same time exceed the limit by one artifact at most, and lose no result', async () => {
  await using server = await startSecuredServer({ maxArtifactBytes: 100_000 }, files);
  const answers = await Promise.all(Array.from({ length: 8 }, () => write(server, 'ada')));
  const stored = answers.filter(({ body }) => body.artifactRef !== undefined);
  assert.equal(stored.length, 2);
  for (const { status, body } of answers) {
    if (status === 507) assert.equal(body.error.code, 'E_ARTIFACT_QUOTA');
    else if (body.artifactRef === undefined) assert.equal(body.text.length, bytes);
  }
});

test('an empty upload counts like a page, so that their number is limited too', async () => {
  await using server = await startSecuredServer({ maxArtifactBytes: 40_960 }, files);
  const upload = async (name: CallerName): Promise<number> => {
    const init = { method: 'POST', headers: as(name) };
    const response = await fetch(`${server.url}/v1/artifacts`, init);
    await response.body?.cancel();
    return response.status;
  };
  const answers: number[] = [];
  for (let count = 0; count < 11; count++) answers.push(await upload('ada'));
  assert.deepEqual(answers, [...Array<number>(10).fill(201), 507]);
  assert.equal(await isRefused(server, 'ada'), true);
  assert.equal(await upload('bob'), 201);
});

test('an artifact counts until it expires', async () => {
  await using server = await startSecuredServer({ maxArtifactBytes: 1, artifactTtlMs: 300 }, files);
  assert.equal((await write(server, 'ada')).status, 200);
  for (let attempt = 0; await isRefused(server, 'ada'); attempt++) assert.ok(attempt < 10_000);
  assert.equal((await write(server, 'ada')).status, 200);
});
