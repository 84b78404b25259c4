import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { afterAll, beforeAll, test } from 'vitest';
import { as, secrets, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { pathWith, readOperations } from './support/operations.ts';
import type { DescribedOperation } from './support/operations.ts';
import { assertRefused, rawClient } from './support/raw-http.ts';
import type { RawAnswer } from './support/raw-http.ts';
import type { TestServer } from './support/server.ts';
import { allowedValue } from './support/wrong-values.ts';

/** Marks everything that ada creates; bob must never receive it. */
const mark = 'of-ada-alone';

let server: TestServer;
let client: ReturnType<typeof rawClient>;
let operations: readonly DescribedOperation[];
let approvalId: string;
/** Everything of ada with an id, name or reference. */
let ids: readonly string[];
beforeAll(async () => {
  server = await startSecuredServer();
  client = rawClient(server.url);
  operations = await readOperations(server.url, as('root'));

  const code = `await tools.echo({ text: '${mark}'.repeat(1_000) }); await tools.launch({ target: '${mark}' })`;
  const script = await started({ kind: 'chain', code, sessionId: mark });
  const talk = await started({ kind: 'agent', task: `Remember ${mark}`, sessionId: `${mark}-too` });
  const { artifacts, pendingApprovals } = JSON.parse((await send('ada', 'GET', `/v1/runs/${script}`)).text);
  approvalId = pendingApprovals[0].id;
  ids = [script, talk, approvalId, mark, `${mark}-too`, ...artifacts.map(({ ref }: { ref: string }) => ref)];
  assert.ok(ids.length > 5);
});
afterAll(async () => {
  client.destroy();
  await server[Symbol.asyncDispose]();
});

function send(caller: CallerName, method: string, path: string, body?: JsonValue): Promise<RawAnswer> {
  const headers = { 'content-type': 'application/json', ...as(caller) };
  const isEndless = path.startsWith('/v1/approvals/events');
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return client.send({ method, path, headers, isEndless, ...content });
}

/** Returns the id of a run of ada that has paused or ended. */
async function started(body: JsonObject): Promise<string> {
  const { id } = JSON.parse((await send('ada', 'POST', '/v1/runs', body)).text);
  // The stream ends when the run pauses or ends.
  await send('ada', 'GET', `/v1/runs/${id}/events`);
  return id;
}

test('no reading operation returns anything of another caller for any parameter', async () => {
  const reads = operations.filter(({ method }) => method === 'GET');
  let found = 0;
  for (const operation of reads) {
    const asked = operation.parameters.filter(({ name }) => name === 'runId' || name === 'sessionId');
    for (const id of ids) {
      const queries = ['', ...asked.map(({ name }) => `?${name}=${id}`)];
      for (const query of queries) {
        const path = `${pathWith(operation, id)}${query}`;
        const { status, text } = await send('bob', 'GET', path);
        // An error repeats the id of the request.
        assert.ok(status >= 400 || !text.includes(mark), `${path}: ${text.slice(0, 500)}`);
        if ((await send('ada', 'GET', path)).text.includes(mark)) found++;
      }
    }
  }
  // The same requests by their owner do find it.
  assert.ok(found > 10, String(found));
});

test('no operation changes or resumes anything of another caller', async () => {
  const before = (await send('ada', 'GET', `/v1/runs/${ids[0]}`)).text;
  for (const operation of operations) {
    const { method, path, body: schema } = operation;
    if (method === 'GET' || !/\{(id|ref)\}/.test(path)) continue;
    for (const id of ids) {
      const body = schema === undefined ? undefined : { ...(allowedValue(schema) as JsonObject), ...answerOf(schema) };
      const answer = await send('bob', method, pathWith(operation, id), body);
      assertRefused(answer, `${method} ${path} ${id}`, []);
      // Without the role, known and unknown ids get the same answer.
      const refused = path === '/v1/approvals/{id}/decision' ? 403 : 404;
      assert.equal(answer.status, refused, `${method} ${path} ${id}: ${answer.text}`);
    }
  }
  const previous = await send('bob', 'POST', '/v1/responses', {
    input: 'Continue',
    previous_response_id: `resp_${ids[1]}`,
  });
  assert.equal(previous.status, 404, previous.text);
  assert.equal((await send('ada', 'GET', `/v1/runs/${ids[0]}`)).text, before);
});

function answerOf(schema: object): JsonObject {
  return 'answer' in ((schema as { readonly properties?: object }).properties ?? {}) ? { answer: 'yes' } : {};
}

test('sessions of the same name are separate for each caller', async () => {
  const { status, text } = await send('bob', 'POST', '/v1/runs', {
    kind: 'agent',
    task: 'What do I say?',
    sessionId: mark,
  });
  assert.equal(status, 201, text);
  await send('bob', 'GET', `/v1/runs/${JSON.parse(text).id}/events`);
  const exchanges = await send('bob', 'GET', `/v1/runs/${JSON.parse(text).id}/exchanges`);
  assert.equal(exchanges.status, 200);
  assert.ok(!exchanges.text.includes('Remember'), exchanges.text.slice(0, 500));
});

test('deciding for another caller needs the role, and approval streams show own requests only', async () => {
  const decision = `/v1/approvals/${approvalId}/decision`;
  assert.equal((await send('bob', 'POST', decision, { decision: 'approved' })).status, 403);
  const leaving = new AbortController();
  const stream = await fetch(`${server.url}/v1/approvals/events?after=0`, {
    headers: as('bob'),
    signal: leaving.signal,
  });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.match((await reader?.read())?.value ?? '', /^retry/);
  assert.equal((await send('eve', 'POST', decision, { decision: 'denied', reason: 'no' })).status, 200);
  // The next event is a request of bob.
  const code = `await tools.launch({ target: 'bob' })`;
  await send('bob', 'POST', '/v1/runs', { kind: 'chain', code });
  const event = (await reader?.read())?.value ?? '';
  assert.match(event, /launch/);
  assert.ok(!event.includes(mark) && !event.includes(approvalId), event);
  leaving.abort();
  assert.deepEqual(await server.installation.launches(), []);
});

test('neither part of a token nor a token in another place grants access', async () => {
  const tokens = ['', ' ', secrets.ada.slice(1), `${secrets.ada}a`, secrets.ada.toUpperCase(), `${secrets.ada}, x`];
  for (const token of tokens) {
    const { status } = await client.send({
      method: 'GET',
      path: '/v1/runs',
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(status, 401, JSON.stringify(token));
  }
  const inUrl = await client.send({ method: 'GET', path: `/v1/tools?q=${secrets.ada}` });
  assert.equal(inUrl.status, 401);
});
