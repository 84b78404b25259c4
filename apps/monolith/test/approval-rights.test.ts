import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { openMonolith, tokens } from '@ravi/monolith';
import { createApprovalRequest } from '@ravi/testkit';
import { test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { createInstallation } from './support/installation.ts';
import type { TestServer } from './support/server.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
type Body = any;

const payTool = `
export default {
  name: 'pay', description: 'Pays.', risk: 'high',
  inputSchema: {
    type: 'object', additionalProperties: false, required: ['to', 'cents'],
    properties: {
      to: { type: 'string' }, cents: { type: 'integer', minimum: 1 }, pin: { type: 'string', writeOnly: true },
    },
  },
  execute: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }], isError: false }),
};`;

async function send(
  { url }: TestServer,
  caller: CallerName,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Body }> {
  const headers = { 'content-type': 'application/json', ...as(caller) };
  const content = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1${path}`, { headers, ...content });
  return { status: response.status, body: await response.json() };
}

/** Starts a server and a script of a caller that asks for approval; returns the run and the request. */
async function ask(
  server: TestServer,
  caller: CallerName = 'ada',
): Promise<{ readonly runId: string; readonly id: string; readonly approval: Body }> {
  const code = `return tools.pay({ to: 'ada', cents: 1250, pin: '4711-0815' })`;
  const { body: run } = await send(server, caller, '/runs', { kind: 'chain', code });
  for (;;) {
    const { body } = await send(server, 'eve', `/approvals?runId=${run.id}`);
    const [approval] = body.items;
    if (approval !== undefined) return { runId: run.id, id: approval.id, approval };
  }
}

async function ended(server: TestServer, caller: CallerName, runId: string): Promise<Body> {
  for (;;) {
    const { body } = await send(server, caller, `/runs/${runId}`);
    assert.notEqual(body.status, 'failed', JSON.stringify(body));
    if (body.status === 'completed') return body;
  }
}

test('only the roles approve and admin may decide: a caller with the role run cannot approve its own call', async () => {
  await using server = await startSecuredServer({}, { 'tools/pay.mjs': payTool });
  const statuses: Record<string, unknown> = {};
  for (const caller of ['ada', 'bob', 'eve', 'root'] as const) {
    const { id, approval } = await ask(server);
    assert.equal(approval.principal, 'ada');
    const { status, body } = await send(server, caller, `/approvals/${id}/decision`, { decision: 'approved' });
    statuses[caller] = [status, body.error?.code];
    const read = await send(server, 'eve', `/approvals/${id}`);
    assert.equal(read.body.approval.answer?.approver, status === 200 ? caller : undefined);
  }
  assert.deepEqual(statuses, {
    ada: [403, 'E_FORBIDDEN'],
    bob: [403, 'E_FORBIDDEN'],
    eve: [200, undefined],
    root: [200, undefined],
  });
});

test('with four eyes an approver cannot decide a call of its own principal with any roles', async () => {
  await using server = await startSecuredServer({ fourEyes: true }, { 'tools/pay.mjs': payTool });
  const { id, runId } = await ask(server, 'root');
  const own = await send(server, 'root', `/approvals/${id}/decision`, { decision: 'approved' });
  assert.deepEqual([own.status, own.body.error.code], [403, 'E_APPROVAL_FOUR_EYES']);
  assert.match(own.body.error.message, /root requested this call and may not decide it/);
  assert.equal((await send(server, 'eve', `/approvals/${id}/decision`, { decision: 'approved' })).status, 200);
  assert.equal((await ended(server, 'root', runId)).status, 'completed');
});

test('four eyes without tokens are refused at the start', async () => {
  await using installation = await createInstallation({ server: { fourEyes: true } });
  const { folder: cwd, configPath } = installation;
  await assert.rejects(
    openMonolith({ cwd, configPath, env: {}, isServer: true }),
    (error) => isKernelError(error, 'E_CONFIG_INVALID') && /fourEyes needs server\.tokens/.test(error.message),
  );
});

test('changed arguments are checked before they decide: 422 at the field, the request stays open, the call says who changed what', async () => {
  await using server = await startSecuredServer({}, { 'tools/pay.mjs': payTool });
  const { id, runId, approval } = await ask(server);
  assert.deepEqual(approval.args, { to: 'ada', cents: 1250, pin: '[redacted]' });
  assert.deepEqual(approval.hidden, ['/pin']);
  const edit = (modifiedArgs: object) =>
    send(server, 'eve', `/approvals/${id}/decision`, { decision: 'modified', modifiedArgs });
  for (const [args, pointer] of [
    [{ to: 'ada', cents: 'all of it', pin: '[redacted]' }, '/cents'],
    [{ to: 'ada', cents: 0 }, '/cents'],
    [{ to: 'ada' }, '/cents'],
    [{ to: 'ada', cents: 1, note: 'x' }, '/note'],
    [{ to: '[redacted]', cents: 1 }, '/to'],
  ] as const) {
    const { status, body } = await edit(args);
    assert.deepEqual(
      [status, body.error?.code, body.problems?.[0]?.pointer],
      [422, 'E_APPROVAL_EDIT_INVALID', pointer],
    );
    assert.equal((await send(server, 'eve', `/approvals/${id}`)).body.approval.status, 'pending');
  }
  assert.equal((await edit({ to: 'ada', cents: 900, pin: '[redacted]' })).status, 200);
  const run = await ended(server, 'ada', runId);
  assert.deepEqual(JSON.parse(run.outcome.result.value), { to: 'ada', cents: 900, pin: '4711-0815' });
  const { approval: trace, argsDigest } = run.outcome.result.callTrace[0];
  assert.deepEqual([trace.decision, trace.approver, trace.edit.changed], ['modified', 'eve', ['/cents']]);
  assert.equal(trace.edit.after, argsDigest);
  assert.notEqual(trace.edit.before, trace.edit.after);
});

test('changed arguments cannot name an artifact of another session or an unknown one: 422 at its place', async () => {
  await using server = await startSecuredServer({}, { 'tools/pay.mjs': payTool });
  const { id, runId, approval } = await ask(server);
  const blobs = server.monolith.container.resolve(tokens.blobStore);
  const store = (sessionId: string, principal = 'ada'): Promise<string> =>
    blobs.store('grace', { mediaType: 'text/plain', scope: { principal, sessionId } });
  const edit = (to: string) =>
    send(server, 'eve', `/approvals/${id}/decision`, {
      decision: 'modified',
      modifiedArgs: { to: { $artifact: to }, cents: 900, pin: '[redacted]' },
    });
  for (const [ref, message] of [
    [await store('another-session'), /at \/to: The artifact \S+ belongs to another session\. The request still waits/],
    [await store(approval.sessionId, 'bob'), /belongs to another session/],
    ['nowhere', /at \/to: There is no artifact nowhere\. The request still waits/],
  ] as const) {
    const { status, body } = await edit(ref);
    assert.deepEqual(
      [status, body.error?.code, body.problems?.[0]?.pointer],
      [422, 'E_APPROVAL_EDIT_INVALID', '/to'],
      JSON.stringify(body),
    );
    assert.match(body.error.message, message);
    assert.equal((await send(server, 'eve', `/approvals/${id}`)).body.approval.status, 'pending');
  }
  const own = await store(approval.sessionId);
  assert.equal((await edit(own)).status, 200);
  const run = await ended(server, 'ada', runId);
  assert.equal(JSON.parse(run.outcome.result.value).to, 'grace');
});

test('an approver opens the artifacts of a pending call, and nothing else', async () => {
  await using server = await startSecuredServer();
  const { container } = server.monolith;
  const blobs = container.resolve(tokens.blobStore);
  const approvals = container.resolve(tokens.stateStore)?.approvals ?? assert.fail();
  const scope = { principal: 'ada', sessionId: 'session-1' };
  const store = (text: string) => blobs.store(text, { mediaType: 'text/html', scope });
  const [ref, other] = [await store('<b>the whole letter</b>'), await store('not for this call')];
  const requestedAt = Date.now();
  const { request } = await approvals.create(
    createApprovalRequest({
      args: { letter: { $artifact: ref }, other, key: `{"$artifact":"${other}"}` },
      requestedAt,
      expiresAt: requestedAt + 60_000,
    }),
  );
  const open = (caller: CallerName, path: string): Promise<Response> =>
    fetch(`${server.url}/v1${path}`, { headers: as(caller) });
  const content = await open('eve', `/approvals/${request.id}/artifacts/${ref}`);
  assert.equal(content.status, 200);
  assert.match(content.headers.get('content-disposition') ?? '', /^attachment; filename="artifact-\w+\.html"$/);
  assert.equal(await content.text(), '<b>the whole letter</b>');
  assert.equal((await open('eve', `/approvals/${request.id}/artifacts/${other}`)).status, 404);
  assert.equal((await open('eve', `/artifacts/${ref}/content`)).status, 404);
  assert.equal((await open('ada', `/approvals/${request.id}/artifacts/${ref}`)).status, 403);
  await approvals.withdraw(request.id, { now: requestedAt, reason: 'the run ended' });
  assert.equal((await open('eve', `/approvals/${request.id}/artifacts/${ref}`)).status, 404);
});
