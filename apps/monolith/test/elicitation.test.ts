import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { createInstallation } from './support/installation.ts';
import { startServer } from './support/server.ts';
import { startProcess } from './support/server-process.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
type Body = any;
interface Reply {
  readonly status: number;
  readonly body: Body;
}

const schema = {
  type: 'object',
  properties: { city: { type: 'string', title: 'City', minLength: 2 }, nights: { type: 'integer', minimum: 1 } },
  required: ['city'],
};
/** A tool that asks with a form, or with a page if it has an argument `url`, and returns the answer. */
const travelTool = `
export default {
  name: 'travel', description: 'Books a journey.', risk: 'safe', inputSchema: { type: 'object' },
  async execute({ url }, { elicit }) {
    const request = url === undefined
      ? { mode: 'form', message: 'Where to?', schema: ${JSON.stringify(schema)} }
      : { mode: 'url', message: 'Sign in to the airline', url };
    const answer = await elicit(request);
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], isError: false };
  },
};`;
/** A model that calls the tool and then repeats its result. */
const model = `
async function* stream({ messages }) {
  const result = messages.findLast(({ content }) => content.some(({ type }) => type === 'tool_result'));
  yield { type: 'block', block: result === undefined
    ? { type: 'tool_use', id: 'call_1', name: 'travel', arguments: {} }
    : { type: 'text', text: JSON.stringify(result.content) } };
  yield { type: 'finish', reason: result === undefined ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'travelling', stream });
export default { name: 'travelling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;
const files = { 'tools/travel.mjs': travelTool, 'model.mjs': model };
const config: RaviConfig = {
  approvals: { mode: 'pause' },
  server: { requestsPerMinute: 1_000_000 },
  plugins: {
    modelProvider: [{ use: './model.mjs' }],
    stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
  },
};

async function send(url: string, caller: CallerName | undefined, path: string, body?: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...(caller === undefined ? {} : as(caller)) };
  const content = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1${path}`, { headers, ...content });
  return { status: response.status, body: await response.json() };
}

/** Leaves the processor to the server between two looks. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits for the open request for input. */
async function asked(url: string, caller: CallerName | undefined, query = ''): Promise<Body> {
  for (;;) {
    const { status, body } = await send(url, caller, `/approvals?status=undecided${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    const found = body.items.find((each: Body) => each.elicitation !== undefined);
    if (found !== undefined) return found;
    await turn();
  }
}

async function ended(url: string, caller: CallerName | undefined, runId: string): Promise<Body> {
  for (;;) {
    const { status, body } = await send(url, caller, `/runs/${runId}`);
    assert.equal(status, 200, JSON.stringify(body));
    if (['completed', 'failed', 'cancelled'].includes(body.status)) return body;
    await turn();
  }
}

test('a caller answers the form of its own call without the role to approve, also with four eyes', async () => {
  await using server = await startSecuredServer({ fourEyes: true }, files);
  const { url } = server;
  const call = send(url, 'ada', '/tools/travel', { args: { year: 2026 } });
  const request = await asked(url, 'ada');
  assert.deepEqual(
    [request.tool, request.risk, request.principal, request.elicitation.mode, request.elicitation.message],
    ['travel', 'safe', 'ada', 'form', 'Where to?'],
  );
  assert.deepEqual(request.form[0], { name: 'city', label: 'City', isRequired: true, kind: 'text', minimum: 2 });
  const decide = (caller: CallerName, body: object) => send(url, caller, `/approvals/${request.id}/decision`, body);
  const answer = { decision: 'approved', content: { city: 'Oslo', nights: 2 } };

  // Neither another caller nor one whose request it is not learns that it exists.
  assert.deepEqual((await decide('bob', answer)).body.error.code, 'E_FORBIDDEN');
  for (const [content, pointer] of [
    [{ city: 'O' }, '/city'],
    [{ nights: 2 }, '/city'],
    [{ city: 'Oslo', nights: 0.5 }, '/nights'],
    [{ city: 'Oslo', more: 1 }, '/more'],
    [undefined, ''],
  ] as const) {
    const { status, body } = await decide('ada', { decision: 'approved', ...(content && { content }) });
    assert.deepEqual([status, body.error.code, body.problems[0].pointer], [422, 'E_APPROVAL_EDIT_INVALID', pointer]);
  }
  for (const body of [
    { decision: 'modified', modifiedArgs: {} },
    { ...answer, scope: 'run' },
    { decision: 'denied', content: {} },
  ]) {
    assert.deepEqual((await decide('ada', body)).body.error.code, 'E_REQUEST_INVALID', JSON.stringify(body));
  }
  const decided = await decide('ada', answer);
  assert.equal(decided.status, 200);
  // What a person typed is for the call alone.
  assert.doesNotMatch(JSON.stringify(decided.body), /Oslo/);
  assert.doesNotMatch(JSON.stringify((await send(url, 'root', `/approvals/${request.id}`)).body), /Oslo/);
  const { body: result } = await call;
  assert.deepEqual(JSON.parse(result.text), { action: 'accept', content: { city: 'Oslo', nights: 2 } });
  assert.equal((await decide('ada', answer)).status, 409);
});

test('an approver may fill in a form and may decline a page, but only its principal can visit the page', async () => {
  await using server = await startSecuredServer({}, files);
  const { url } = server;
  const forms = send(url, 'ada', '/tools/travel', {});
  const form = await asked(url, 'eve');
  assert.equal(form.principal, 'ada');
  const answer = { decision: 'approved', content: { city: 'Oslo' } };
  assert.equal((await send(url, 'eve', `/approvals/${form.id}/decision`, answer)).status, 200);
  assert.deepEqual(JSON.parse((await forms).body.text), { action: 'accept', content: { city: 'Oslo' } });

  for (const [caller, decision, action] of [
    ['eve', 'denied', 'decline'],
    ['ada', 'approved', 'accept'],
  ] as const) {
    const pages = send(url, 'ada', '/tools/travel', { args: { url: 'https://airline.example/in?state=1' } });
    const page = await asked(url, 'ada');
    assert.equal(page.elicitation.url, 'https://airline.example/in?state=1');
    const path = `/approvals/${page.id}/decision`;
    const visit = await send(url, 'eve', path, { decision: 'approved' });
    assert.deepEqual([visit.status, visit.body.error.code], [403, 'E_FORBIDDEN']);
    assert.match(visit.body.error.message, /Only ada can visit this page/);
    assert.equal((await send(url, caller, path, { decision })).status, 200);
    assert.deepEqual(JSON.parse((await pages).body.text), { action });
  }
});

test('a call waits for its answer beyond its time limit, and gets none when the request expires', async () => {
  const policy = { callTimeoutMs: 200, approvalTimeoutMs: 1_000 };
  await using server = await startServer({ ...config, policy }, files, { isServer: true });
  const { body } = await send(server.url, undefined, '/tools/travel', {});
  assert.deepEqual([body.status, JSON.parse(body.text)], ['ok', { action: 'cancel' }]);
  const { body: list } = await send(server.url, undefined, '/approvals');
  assert.deepEqual(
    list.items.map(({ status }: Body) => status),
    ['consumed'],
  );
});

test('a request goes with the connection of its caller', async () => {
  await using server = await startServer(config, files, { isServer: true });
  const leaving = new AbortController();
  const call = fetch(`${server.url}/v1/tools/travel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: leaving.signal,
  });
  const { id } = await asked(server.url, undefined);
  leaving.abort();
  await assert.rejects(call);
  for (;;) {
    const { body } = await send(server.url, undefined, `/approvals/${id}`);
    if (body.approval.status === 'pending') {
      await turn();
      continue;
    }
    assert.equal(body.approval.status, 'withdrawn');
    break;
  }
  const late = await send(server.url, undefined, `/approvals/${id}/decision`, {
    decision: 'approved',
    content: { city: 'Oslo' },
  });
  assert.deepEqual([late.status, late.body.error.code], [410, 'E_APPROVAL_WITHDRAWN']);
});

test('a script whose call asks for input runs on with the answer and does not pause', async () => {
  await using server = await startServer(config, files, { isServer: true });
  const { url } = server;
  const code = 'const answers = []; for (const _ of [1, 2]) answers.push(await tools.travel({})); return answers;';
  const { body: run } = await send(url, undefined, '/runs', { kind: 'chain', code });
  for (const city of ['Oslo', 'Rome']) {
    const { id } = await asked(url, undefined, `&runId=${run.id}`);
    assert.equal((await send(url, undefined, `/runs/${run.id}`)).body.status, 'running');
    const decision = { decision: 'approved', content: { city } };
    assert.equal((await send(url, undefined, `/approvals/${id}/decision`, decision)).status, 200);
  }
  const { outcome } = await ended(url, undefined, run.id);
  const values = outcome.result.value.map((text: unknown) => (typeof text === 'string' ? JSON.parse(text) : text));
  assert.deepEqual(
    values.map((each: Body) => each.content),
    [{ city: 'Oslo' }, { city: 'Rome' }],
  );
  assert.equal(
    outcome.result.callTrace.every((call: Body) => call.approval === undefined),
    true,
  );
});

test("an agent's call asks, and its model reads the answer", async () => {
  await using server = await startServer(config, files, { isServer: true });
  const { url } = server;
  const { body: run } = await send(url, undefined, '/runs', { kind: 'agent', task: 'Book it' });
  const request = await asked(url, undefined, `&runId=${run.id}`);
  assert.equal((await send(url, undefined, `/runs/${run.id}`)).body.status, 'running');
  const decision = { decision: 'approved', content: { city: 'Oslo' } };
  assert.equal((await send(url, undefined, `/approvals/${request.id}/decision`, decision)).status, 200);
  const { status, outcome } = await ended(url, undefined, run.id);
  assert.equal(status, 'completed');
  assert.match(JSON.stringify(outcome), /Oslo/);
  const { body } = await send(url, undefined, `/runs/${run.id}`);
  const [call] = body.trace;
  assert.deepEqual([call.tool, call.status, call.approval], ['travel', 'ok', undefined]);
});

test('when the server is killed, the request is withdrawn with its call', { timeout: 90_000 }, async () => {
  await using installation = await createInstallation(config, files);
  using first = startProcess(installation.folder, ['--port', '0']);
  const before = await first.url();
  const code = 'try { return await tools.travel({}) } catch (error) { return error.message }';
  const { body: run } = await send(before, undefined, '/runs', { kind: 'chain', code });
  const { id } = await asked(before, undefined, `&runId=${run.id}`);
  first.signal('SIGKILL');
  await first.exit;

  using second = startProcess(installation.folder, ['--port', '0']);
  const url = await second.url();
  // The call of a safe tool is made again, and asks again.
  let again = await asked(url, undefined, `&runId=${run.id}`);
  for (; again.id === id; again = await asked(url, undefined, `&runId=${run.id}`)) await turn();
  const { body } = await send(url, undefined, `/approvals/${id}`);
  assert.equal(body.approval.status, 'withdrawn');
  assert.match(body.changes.at(-1).reason, /process that ran the call has ended/);
  const answer = { decision: 'approved', content: { city: 'Oslo' } };
  assert.equal((await send(url, undefined, `/approvals/${id}/decision`, answer)).status, 410);
  assert.equal((await send(url, undefined, `/approvals/${again.id}/decision`, answer)).status, 200);
  const { outcome } = await ended(url, undefined, run.id);
  assert.match(JSON.stringify(outcome), /Oslo/);
});
