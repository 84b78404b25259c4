import assert from 'node:assert/strict';
import type { ApprovalRequest, ApprovalStore, JsonValue } from '@ravi/kernel';
import { tokens } from '@ravi/monolith';
import { createApprovalRequest } from '@ravi/testkit';
import { afterAll, beforeAll, test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { rawClient } from './support/raw-http.ts';
import type { TestServer } from './support/server.ts';

/** A response with its JSON. */
interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
  readonly body: any;
}

let server: TestServer;
let client: ReturnType<typeof rawClient>;
let store: ApprovalStore;
let last = 0;
beforeAll(async () => {
  server = await startSecuredServer();
  client = rawClient(server.url);
  store = server.monolith.container.resolve(tokens.stateStore)?.approvals ?? assert.fail();
});
afterAll(async () => {
  client.destroy();
  await server[Symbol.asyncDispose]();
});

/** Stores a pending request of ada, and returns its id. */
async function pending(overrides: Partial<ApprovalRequest> = {}): Promise<string> {
  const requestedAt = Date.now();
  const id = `approval-of-tests-${++last}`;
  const usual = { id, principal: 'ada', requestedAt, expiresAt: requestedAt + 60_000 };
  const { request } = await store.create(createApprovalRequest({ ...usual, ...overrides }));
  return request.id;
}

async function send(caller: CallerName, method: string, path: string, body?: JsonValue | string): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...as(caller) };
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const { status, text } = await client.send({ method, path: `/v1/approvals${path}`, headers, ...content });
  return { status, body: JSON.parse(text) };
}

function assertProblem({ status, body }: Reply, expected: number, code: string, message: RegExp): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(body.error.code, code);
  assert.match(body.error.message, message);
}

test('a decision that is invalid is refused and decides nothing', async () => {
  const id = await pending({ risk: 'critical' });
  const refused = async (body: JsonValue | string, message: RegExp) =>
    assertProblem(await send('eve', 'POST', `/${id}/decision`, body), 400, 'E_REQUEST_INVALID', message);
  await refused({}, /"decision"/);
  await refused({ decision: 'yes' }, /"decision" must be one of/);
  await refused({ decision: 'approved', why: 'x' }, /"why" is not a known key/);
  await refused({ decision: 'approved', reason: 'x'.repeat(4_001) }, /4000/);
  await refused({ decision: 'approved', scope: 'all' }, /"scope"/);
  await refused({ decision: 'denied', scope: 'run' }, /scope "run" is only valid with an approval/);
  await refused({ decision: 'approved', scope: 'run' }, /critical/);
  await refused({ decision: 'modified' }, /"modifiedArgs"/);
  await refused({ decision: 'modified', modifiedArgs: [1] }, /"modifiedArgs"/);
  await refused({ decision: 'approved', modifiedArgs: {} }, /only valid with "modified"/);
  await refused(
    `{"decision":"modified","modifiedArgs":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
    /nests deeper/,
  );
  assert.equal((await store.get(id))?.status, 'pending');
});

test('of many decisions at once one counts, and the others learn which', async () => {
  const id = await pending();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      send(index % 3 === 0 ? 'root' : 'eve', 'POST', `/${id}/decision`, {
        decision: index % 2 === 0 ? 'approved' : 'denied',
      }),
    ),
  );
  const winners = replies.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1);
  const { approver, decision } = winners[0]!.body.approval.answer;
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assertProblem(
      reply,
      409,
      'E_APPROVAL_DECIDED',
      new RegExp(`^${approver} decided first: this request is ${decision}`),
    );
    assert.equal(reply.body.approval.answer.approver, approver);
  }
  assert.equal((await store.changes({ approvalId: id })).items.length, 2);
});

test('a decision on an expired request is refused, and the request is expired from then on', async () => {
  const id = await pending({ requestedAt: 1, expiresAt: 2 });
  const late = await send('eve', 'POST', `/${id}/decision`, { decision: 'approved' });
  assertProblem(late, 410, 'E_APPROVAL_EXPIRED', /has expired/);
  assert.equal(late.body.approval.status, 'expired');
  assert.equal((await store.get(id))?.status, 'expired');
});

test('values that an approver typed are never shown, only the names of changed arguments', async () => {
  const id = await pending({ args: { path: 'a.md', password: '[redacted]', mode: 'w' } });
  const modifiedArgs = { path: 'a.md', password: 'hunter2', owner: 'hunter2' };
  // Decided in the store, because the tool of this request does not exist.
  const decided = await store.decide(id, {
    decision: 'modified',
    modifiedArgs,
    approver: 'eve',
    decidedAt: Date.now(),
  });
  assert.equal(decided.status, 'done');
  const read = await send('eve', 'GET', `/${id}`);
  for (const { body } of [read, await send('ada', 'GET', '')]) {
    assert.ok(!JSON.stringify(body).includes('hunter2'));
    assert.ok(!JSON.stringify(body).includes('Digest'));
  }
  assert.deepEqual(read.body.approval.answer.changedArguments, ['password', 'mode', 'owner']);
});

test('a caller sees its own requests, and with the role it sees and decides those of every principal', async () => {
  const id = await pending({ principal: 'bob' });
  const listed = async (caller: CallerName) =>
    (await send(caller, 'GET', '?limit=200')).body.items.some(
      (approval: { readonly id: string }) => approval.id === id,
    );
  assert.deepEqual([await listed('ada'), await listed('bob'), await listed('eve')], [false, true, true]);
  const decision = { decision: 'approved' };
  const foreign = new RegExp(`no approval "${id}"`);
  assertProblem(await send('ada', 'GET', `/${id}`), 404, 'E_APPROVAL_UNKNOWN', foreign);
  assertProblem(await send('ada', 'POST', `/${id}/decision`, decision), 403, 'E_FORBIDDEN', /role "approve"/);
  assertProblem(await send('bob', 'POST', `/${id}/decision`, decision), 403, 'E_FORBIDDEN', /role "approve"/);
  assert.equal((await send('eve', 'POST', `/${id}/decision`, decision)).status, 200);
});

test('an id and the text of a request may be anything', async () => {
  const text = '</script><img src=x onerror=alert(1)>\u001b[2J\r\n\u0000\u202e\u2028';
  const args = JSON.parse(`{"__proto__": ${JSON.stringify(text)}}`);
  const id = await pending({ id: 'a/b?c#d %25 漢字', summary: text, description: text, args });
  const { approval } = (await send('ada', 'GET', `/${encodeURIComponent(id)}`)).body;
  assert.deepEqual([approval.id, approval.summary], [id, text]);
  assert.deepEqual(Object.entries<JsonValue>(approval.args), [['__proto__', text]]);
});

test('a body over a mebibyte is refused', async () => {
  const id = await pending();
  const body = { decision: 'modified', modifiedArgs: { text: 'x'.repeat(1_048_576) } };
  assertProblem(await send('eve', 'POST', `/${id}/decision`, body), 413, 'E_BODY_TOO_LARGE', /1048576 bytes/);
});

test('no response about approvals may be cached, refusals included', async () => {
  const id = await pending();
  const headers = { authorization: as('ada').authorization };
  for (const path of ['/v1/approvals', `/v1/approvals/${id}`, '/v1/approvals/unknown']) {
    const response = await fetch(`${server.url}${path}`, { headers });
    await response.body?.cancel();
    assert.equal(response.headers.get('cache-control'), 'no-store', path);
  }
});

test('the page of another site cannot read or decide: Origin and Sec-Fetch-Site are checked', async () => {
  const id = await pending();
  const foreign: readonly Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of foreign) {
    const all = { 'content-type': 'application/json', ...as('ada'), ...headers };
    const body = JSON.stringify({ decision: 'approved' });
    const path = `/v1/approvals/${id}`;
    assert.equal((await client.send({ method: 'GET', path, headers: all })).status, 403);
    assert.equal((await client.send({ method: 'POST', path: `${path}/decision`, headers: all, body })).status, 403);
  }
  assert.equal((await store.get(id))?.status, 'pending');
});

test('a stream continues after the last event that was read, and starts over after one that does not exist', async () => {
  const first = await pending();
  const { sequence } = (await send('ada', 'GET', '')).body;
  const second = await pending();
  const read = async (lastEventId: string): Promise<string> => {
    const headers = { ...as('ada'), 'last-event-id': lastEventId };
    const leaving = new AbortController();
    const stream = await fetch(`${server.url}/v1/approvals/events?after=0`, { headers, signal: leaving.signal });
    let text = '';
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (/^event: /m.test(text)) break;
    }
    leaving.abort();
    return text;
  };
  const text = await read(String(sequence));
  assert.ok(text.includes(second) && !text.includes(`"${first}"`), text);
  assert.match(await read('999999999'), /^event: reset$/m);
});

test('streams of a server that closes end, and keep it open no longer', async () => {
  await using other = await startSecuredServer();
  const stream = await fetch(`${other.url}/v1/approvals/events`, { headers: as('ada') });
  const closing = other[Symbol.asyncDispose]();
  for await (const chunk of stream.body ?? []) assert.match(Buffer.from(chunk).toString(), /^retry|^: /);
  await closing;
});
