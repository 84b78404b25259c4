import assert from 'node:assert/strict';
import { displayArguments } from '@ravi/approval-kit';
import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { createApprovalRequest, createMemoryApprovalStore, createMemoryLogger, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { openScene, requestTo, tokens } from './support/handler.ts';
import type { Answer } from './support/handler.ts';

const grace = { token: tokens.grace };

function assertProblem({ status, body }: Answer, expected: number, code: string, message: RegExp): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(body.error.code, code);
  assert.match(body.error.message, message);
}

function ids({ body }: Answer): readonly string[] {
  return body.items.map(({ id }: { id: string }) => id);
}

test('the list shows what waits, with everything that a person needs and no digest', async () => {
  const { keep, send, clock } = openScene();
  await keep();
  const { argsDigest: _argsDigest, toolDigest: _toolDigest, ...shown } = createApprovalRequest();
  const { status, body } = await send('GET', '/v1/approvals?status=pending');
  assert.equal(status, 200);
  assert.deepEqual(body, {
    items: [
      {
        ...shown,
        status: 'pending',
        sequence: 1,
        argsLength: JSON.stringify(shown.args).length,
        display: displayArguments(createApprovalRequest()),
      },
    ],
    unreadable: 0,
    sequence: 1,
    now: clock.now(),
  });
});

test('lists come newest first, in pages that continue where the last one ended, filtered as asked', async () => {
  const { keep, send } = openScene();
  for (const index of [1, 2, 3, 4, 5]) await keep({ id: `a${index}`, runId: `run-${index % 2}` });
  await send('POST', '/v1/approvals/a2/decision', { body: { decision: 'approved' } });
  const first = await send('GET', '/v1/approvals?limit=2');
  assert.deepEqual(ids(first), ['a5', 'a4']);
  const second = await send('GET', `/v1/approvals?limit=2&cursor=${first.body.next}`);
  assert.deepEqual(ids(second), ['a3', 'a2']);
  const last = await send('GET', `/v1/approvals?limit=2&cursor=${second.body.next}`);
  assert.deepEqual([ids(last), last.body.next], [['a1'], undefined]);
  assert.deepEqual(ids(await send('GET', '/v1/approvals?status=approved')), ['a2']);
  assert.deepEqual(ids(await send('GET', '/v1/approvals?status=pending&runId=run-0')), ['a4']);
});

test('a query that means nothing is refused with what would', async () => {
  const { send } = openScene();
  const refused = async (query: string, message: RegExp) =>
    assertProblem(await send('GET', `/v1/approvals?${query}`), 400, 'E_REQUEST_INVALID', message);
  await refused('status=open', /pending, approved/);
  await refused('limit=0', /1 to 200/);
  await refused('limit=201', /1 to 200/);
  await refused('principal=bob', /not a parameter/);
});

test('one approval comes with its audit log, and long arguments come with it alone', async () => {
  const { keep, send } = openScene();
  const text = 'x'.repeat(100_000);
  await keep({ args: { text } });
  await send('POST', '/v1/approvals/approval-1/decision', { body: { decision: 'denied', reason: 'too long' } });
  const listed = (await send('GET', '/v1/approvals')).body.items[0];
  assert.deepEqual([listed.args, listed.argsLength], [undefined, 100_011]);
  const { body } = await send('GET', '/v1/approvals/approval-1');
  assert.equal(body.approval.args.text, text);
  assert.deepEqual(
    body.changes.map(({ from, to, actor, reason }: Record<string, string>) => [from, to, actor, reason]),
    [
      [undefined, 'pending', undefined, undefined],
      ['pending', 'denied', 'ada', 'too long'],
    ],
  );
});

test('each decision is kept with who made it and what was said', async () => {
  const { keep, send, store } = openScene();
  const decide = async (id: string, body: object) => {
    await keep({ id });
    const answer = await send('POST', `/v1/approvals/${id}/decision`, { body, ...grace });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (await store.get(id))?.answer;
  };
  const at = { approver: 'grace', decidedAt: Date.UTC(2025, 0, 1) };
  assert.deepEqual(await decide('yes', { decision: 'approved' }), { decision: 'approved', scope: 'once', ...at });
  assert.deepEqual(await decide('run', { decision: 'approved', scope: 'run', reason: ' fine ' }), {
    decision: 'approved',
    scope: 'run',
    reason: 'fine',
    ...at,
  });
  assert.deepEqual(await decide('no', { decision: 'denied', reason: '' }), { decision: 'denied', ...at });
  assert.deepEqual(await decide('later', { decision: 'skipped' }), { decision: 'skipped', ...at });
  assert.deepEqual(await decide('other', { decision: 'modified', modifiedArgs: { path: 'b.md' } }), {
    decision: 'modified',
    scope: 'once',
    modifiedArgs: { path: 'b.md' },
    ...at,
  });
});

test('values that an approver typed are never shown, only the names of changed arguments', async () => {
  const { keep, send } = openScene();
  await keep({ args: { path: 'a.md', password: '[redacted]', mode: 'w' } });
  const modifiedArgs = { path: 'a.md', password: 'hunter2', owner: 'hunter2' };
  const decided = await send('POST', '/v1/approvals/approval-1/decision', {
    body: { decision: 'modified', modifiedArgs },
  });
  const read = await send('GET', '/v1/approvals/approval-1');
  const listed = await send('GET', '/v1/approvals');
  for (const { body } of [decided, read, listed]) assert.ok(!JSON.stringify(body).includes('hunter2'));
  assert.deepEqual(read.body.approval.answer.changedArguments, ['password', 'mode', 'owner']);
});

test('a decision that means nothing is refused and decides nothing', async () => {
  const { keep, send, store } = openScene();
  await keep({ risk: 'critical' });
  const refused = async (body: unknown, message: RegExp) =>
    assertProblem(await send('POST', '/v1/approvals/approval-1/decision', { body }), 400, 'E_REQUEST_INVALID', message);
  await refused({}, /"decision" must be one of approved/);
  await refused({ decision: 'yes' }, /"decision" must be one of/);
  await refused({ decision: 'approved', why: 'x' }, /"why" is not a known key/);
  await refused({ decision: 'approved', reason: 5 }, /"reason"/);
  await refused({ decision: 'approved', reason: 'x'.repeat(4_001) }, /4000/);
  await refused({ decision: 'approved', scope: 'all' }, /"scope"/);
  await refused({ decision: 'denied', scope: 'run' }, /scope "run" is only valid with an approval/);
  await refused({ decision: 'approved', scope: 'run' }, /critical/);
  await refused({ decision: 'modified' }, /"modifiedArgs"/);
  await refused({ decision: 'modified', modifiedArgs: [1] }, /"modifiedArgs"/);
  await refused({ decision: 'approved', modifiedArgs: {} }, /"modifiedArgs" is only valid with "modified"/);
  await refused('[]', /JSON object/);
  await refused('{', /not JSON/);
  const deep = `{"decision": "modified", "modifiedArgs": {"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
  await refused(deep, /^The body nests deeper than 256 levels$/);
  const many = `{"decision": "modified", "modifiedArgs": {"a": [${'0,'.repeat(262_144)}0]}}`;
  await refused(many, /^The body holds more than 262144 values$/);
  assert.equal((await store.get('approval-1'))?.status, 'pending');
});

test('of many decisions at once one counts, and the others learn which', async () => {
  const { keep, send, store } = openScene();
  await keep();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      send('POST', '/v1/approvals/approval-1/decision', {
        body: { decision: index % 2 === 0 ? 'approved' : 'denied' },
        token: index % 3 === 0 ? tokens.ada : tokens.grace,
      }),
    ),
  );
  const winners = answers.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1);
  const { approver, decision } = winners[0]!.body.approval.answer;
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assertProblem(
      answer,
      409,
      'E_APPROVAL_DECIDED',
      new RegExp(`^${approver} decided first: this request is ${decision}`),
    );
    assert.equal(answer.body.approval.answer.approver, approver);
  }
  assert.equal((await store.changes()).items.length, 2);
});

test('an answer after the time is over is gone, and the request counts as expired at once', async () => {
  const { keep, send, clock, store } = openScene();
  await keep();
  clock.advance(600_000);
  const late = await send('POST', '/v1/approvals/approval-1/decision', { body: { decision: 'approved' } });
  assertProblem(late, 410, 'E_APPROVAL_EXPIRED', /has expired/);
  assert.equal(late.body.approval.status, 'expired');
  assert.equal((await store.get('approval-1'))?.status, 'expired');
});

test('an approver without the role only sees its own requests, and one with the role sees and decides all', async () => {
  const { keep, send } = openScene();
  await keep({ id: 'of-ada', principal: 'ada' });
  await keep({ id: 'of-bob', principal: 'bob' });
  const bob = { token: tokens.bob };
  assert.deepEqual(ids(await send('GET', '/v1/approvals', bob)), ['of-bob']);
  assert.deepEqual(ids(await send('GET', '/v1/approvals', grace)), ['of-bob', 'of-ada']);
  const missing = await send('GET', '/v1/approvals/nothing', bob);
  const foreign = await send('GET', '/v1/approvals/of-ada', bob);
  assertProblem(foreign, 404, 'E_APPROVAL_UNKNOWN', /no approval "of-ada"/);
  assert.equal(foreign.body.error.message, missing.body.error.message.replace('nothing', 'of-ada'));
  const body = { decision: 'approved' };
  for (const id of ['of-ada', 'of-bob', 'nothing']) {
    const refused = await send('POST', `/v1/approvals/${id}/decision`, { body, ...bob });
    assertProblem(refused, 403, 'E_FORBIDDEN', /role "approve"/);
  }
  assert.equal((await send('POST', '/v1/approvals/of-bob/decision', { body, ...grace })).status, 200);
});

test('with four eyes an approver does not decide requests of its own principal', async () => {
  const { keep, send } = openScene({ fourEyes: true });
  await keep({ principal: 'ada' });
  const body = { decision: 'approved' };
  const own = await send('POST', '/v1/approvals/approval-1/decision', { body });
  assertProblem(own, 403, 'E_APPROVAL_FOUR_EYES', /ada requested this call/);
  assert.equal((await send('POST', '/v1/approvals/approval-1/decision', { body, ...grace })).status, 200);
});

test('invalid changes are refused with their places, and the request stays open', async () => {
  const { handler, store } = openScene();
  const problems = [{ pointer: '/path', message: '"path" must be a string' }];
  const checkArguments = async (args: object): Promise<typeof problems> => ('ok' in args ? [] : problems);
  const signal = new AbortController().signal;
  const result = handler.request(createApprovalRequest(), { signal, checkArguments });
  await settle();
  const decide = (modifiedArgs: object): Promise<Response> => {
    const body = { decision: 'modified', modifiedArgs };
    return handler.fetch(requestTo('POST', '/v1/approvals/approval-1/decision', { body, token: tokens.ada }));
  };
  const refused = await decide({ path: 1 });
  assert.equal(refused.status, 422);
  const { error, problems: found } = (await refused.json()) as { error: { code: string }; problems: unknown };
  assert.deepEqual([error.code, found], ['E_APPROVAL_EDIT_INVALID', problems]);
  assert.equal((await store.get('approval-1'))?.status, 'pending');
  assert.equal((await decide({ ok: true })).status, 200);
  assert.deepEqual((await result).modifiedArgs, { ok: true });
});

test('an id may be any text', async () => {
  const { keep, send } = openScene();
  const id = 'a/b?c#d %25 漢字';
  await keep({ id });
  assert.equal((await send('GET', `/v1/approvals/${encodeURIComponent(id)}`)).body.approval.id, id);
  assertProblem(await send('GET', '/v1/approvals/%E0%A4%A'), 404, 'E_ROUTE_UNKNOWN', /There is no GET/);
});

test('an unknown route is refused, with any token', async () => {
  const { send } = openScene();
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/v1/approvalsx'],
    ['PUT', '/v1/approvals'],
    ['DELETE', '/v1/approvals/approval-1'],
    ['POST', '/v1/approvals/events'],
    ['GET', '/v1/approvals/a/b/c'],
  ] as const) {
    assertProblem(await send(method, path), 404, 'E_ROUTE_UNKNOWN', /There is no/);
  }
});

test('every route is below the base path, and none outside of it', async () => {
  const { send, keep } = openScene({ basePath: '/office/ravi' });
  await keep();
  assert.deepEqual(ids(await send('GET', '/office/ravi/v1/approvals')), ['approval-1']);
  for (const path of ['/v1/approvals', '/office/ravix/v1/approvals', '/office/v1/approvals']) {
    assertProblem(await send('GET', path), 404, 'E_ROUTE_UNKNOWN', /There is no/);
  }
});

test('bodies are JSON of a limited size, however long they say they are', async () => {
  const { send, keep, handler } = openScene({ maxBodyBytes: 1_000 });
  await keep();
  const path = '/v1/approvals/approval-1/decision';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  assertProblem(await send('POST', path, { body: 'decision=approved', headers: form }), 415, 'E_CONTENT_TYPE', /json/);
  const large = { body: { decision: 'denied', reason: 'x'.repeat(2_000) } };
  assertProblem(await send('POST', path, large), 413, 'E_BODY_TOO_LARGE', /1000 bytes/);
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 100;
      controller.enqueue(new TextEncoder().encode(' '.repeat(100)));
    },
  });
  const request = requestTo('POST', path, { token: tokens.ada, headers: { 'content-type': 'application/json' } });
  const streamed = new Request(request, { body: endless, duplex: 'half' });
  assert.equal((await handler.fetch(streamed)).status, 413);
  assert.ok(sent < 3_000, `${sent} bytes were read`);
});

test('a store that is gone is said to be gone, and a fault says nothing of the inside', async () => {
  const logger = createMemoryLogger();
  const failing = (error: Error) => {
    const store = { ...createMemoryApprovalStore(), expire: () => Promise.reject(error) };
    return openScene({ store, logger }).send('GET', '/v1/approvals');
  };
  const gone = await failing(new KernelError('E_STATE_UNAVAILABLE', 'connect /secret/path'));
  assertProblem(gone, 503, 'E_STATE_UNAVAILABLE', /store is unavailable/);
  assert.equal(gone.headers.get('retry-after'), '1');
  const fault = await failing(new Error('secret'));
  assertProblem(fault, 500, 'E_INTERNAL', /failed with an internal error/);
  assert.ok(!JSON.stringify([gone.body, fault.body]).includes('secret'));
  assert.deepEqual(logger.messages('error'), ['a request about approvals failed']);
});

test('damaged rows are counted and hide no others', async () => {
  const store = createMemoryApprovalStore();
  const corrupt = [new KernelError('E_STATE_CORRUPT', 'row 7 of ravi_approvals')];
  const { keep, send } = openScene({
    store: { ...store, list: async (...query) => ({ ...(await store.list(...query)), corrupt }) },
  });
  await keep();
  const listed = await send('GET', '/v1/approvals');
  assert.deepEqual([ids(listed), listed.body.unreadable], [['approval-1'], 1]);
});

test('hostile text of a request comes through as it is', async () => {
  const { keep, send } = openScene();
  const text = '</script><img src=x onerror=alert(1)>\u001b[2J\r\n\u0000\u202e\u2028\ud800';
  await keep({ summary: text, description: text, args: JSON.parse(`{"__proto__": ${JSON.stringify(text)}}`) });
  const { approval } = (await send('GET', '/v1/approvals/approval-1')).body;
  assert.equal(approval.summary, text);
  assert.deepEqual(Object.entries<JsonValue>(approval.args), [['__proto__', text]]);
});
