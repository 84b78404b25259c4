import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { openMonolith, serve } from '@ravi/monolith';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startServer } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';

const token = 'the-token-of-grace-0123456789-abcdef';
const headers = { authorization: `Bearer ${token}` };
const config: RaviConfig = {
  plugins: {
    stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
    approvalHandler: { use: '@ravi/approval-web', tokens: [{ token, principal: 'grace', roles: ['approve'] }] },
  },
};

/** Source of a tool whose arguments contain a secret; it records what it received. */
const signInTool = `
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
export default {
  name: 'sign_in',
  description: 'Signs in somewhere.',
  risk: 'high',
  inputSchema: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' } } },
  async execute(args) {
    await writeFile(join(import.meta.dirname, '../signed-in.json'), JSON.stringify(args));
    return { content: [{ type: 'text', text: 'signed in' }], isError: false };
  },
};
`;

/** Returns the pending request as soon as the event stream reports one. */
async function waiting({ url }: TestServer): Promise<Answer['body']> {
  const stream = await fetch(`${url}/v1/approvals/events?after=0`, { headers });
  let text = '';
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    const events = [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data));
    const asked = events.find(({ approval }) => approval?.status === 'pending');
    if (asked !== undefined) return asked.approval;
  }
  assert.fail(`nothing waits: ${text}`);
}

function decide(server: TestServer, id: string, decision: object): Promise<Answer> {
  return server.post(`/v1/approvals/${id}/decision`, decision, headers);
}

test('a call and a script wait for a decision over HTTP, and resume with it', async () => {
  await using server = await startServer(config);
  const called = server.post('/v1/tools/launch', { args: { target: 'moon' } });
  const { id, principal, risk, args } = await waiting(server);
  assert.deepEqual([principal, risk, args], ['local', 'high', { target: 'moon' }]);
  assert.deepEqual(await server.installation.launches(), []);
  assert.equal((await decide(server, id, { decision: 'approved' })).status, 200);
  assert.equal((await called).body.status, 'ok');
  assert.deepEqual(await server.installation.launches(), ['launch moon']);
  assert.equal((await decide(server, id, { decision: 'denied' })).status, 409);

  const ran = server.chain(`
    try { await tools.launch({ target: 'mars' }) } catch (error) { return error.message }
  `);
  const asked = await waiting(server);
  await decide(server, asked.id, { decision: 'denied', reason: 'too far' });
  assert.match((await ran).body.value, /too far/);
  assert.deepEqual(await server.installation.launches(), ['launch moon']);
});

test('no payload contains a secret of the arguments, and an edited call keeps it', async () => {
  await using server = await startServer(config, { 'tools/sign-in.mjs': signInTool });
  const stream = await fetch(`${server.url}/v1/approvals/events?after=0`, { headers });
  const called = server.post('/v1/tools/sign_in', { args: { user: 'ada', password: 'hunter2' } });
  const listed = await waiting(server);
  assert.deepEqual(listed.args, { user: 'ada', password: '[redacted]' });
  const modifiedArgs = { user: 'bob', password: '[redacted]' };
  const decided = await decide(server, listed.id, { decision: 'modified', modifiedArgs });
  assert.equal((await called).body.status, 'ok');
  const read = await server.get(`/v1/approvals/${listed.id}`, headers);
  const history = await server.get('/v1/approvals', headers);
  let events = '';
  for await (const chunk of stream.body ?? []) {
    events += Buffer.from(chunk).toString();
    if (events.includes('"to":"consumed"')) break;
  }
  const page = await (await fetch(`${server.url}/approvals`)).text();
  const payloads = [listed, decided.body, read.body, history.body, events, page];
  for (const payload of payloads) assert.ok(!JSON.stringify(payload).includes('hunter2'));
  const executed = await readFile(join(server.installation.folder, 'signed-in.json'), 'utf8');
  assert.deepEqual(JSON.parse(executed), { user: 'bob', password: 'hunter2' });
});

test('the page and its API are there with this handler only, and only for this machine', async () => {
  await using server = await startServer(config);
  const page = await fetch(`${server.url}/approvals`);
  assert.match(await page.text(), /^<!doctype html>/);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'sha256-/);
  assert.equal((await server.get('/v1/approvals')).body.error.code, 'E_UNAUTHENTICATED');
  assert.equal((await server.get('/v1/approvals', { ...headers, host: 'evil.example' })).status, 403);
  await using other = await startServer();
  assert.equal((await other.get('/v1/approvals', headers)).body.error.code, 'E_NOT_CONFIGURED');
});

test('a client that disconnects frees its stream', async () => {
  await using server = await startServer(config);
  for (let count = 0; count < 60; count++) {
    const leaving = new AbortController();
    const stream = await fetch(`${server.url}/v1/approvals/events`, { headers, signal: leaving.signal });
    assert.equal(stream.status, 200, `stream ${count}`);
    leaving.abort();
  }
});

test('open streams do not keep a server from closing', async () => {
  await using installation = await createInstallation(config);
  const { folder: cwd, configPath } = installation;
  await using monolith = await openMonolith({ cwd, configPath, env: {} });
  const server = await serve(monolith, { port: 0, graceMs: 3_600_000 });
  const stream = await fetch(`${server.url}/v1/approvals/events`, { headers });
  const closing = server[Symbol.asyncDispose]();
  for await (const chunk of stream.body ?? []) assert.match(Buffer.from(chunk).toString(), /^retry|^: /);
  await closing;
});

test('without a state store the configuration error names it', async () => {
  const plugins = { approvalHandler: config.plugins?.approvalHandler ?? { use: '' } };
  await assert.rejects(startServer({ plugins }), /plugins\.approvalHandler.*configure plugins\.stateStore/);
});

/** Source of a plugin whose handler approves every request and has pages of its own. */
const handlerWithPages = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default {
  name: 'approval-with-pages',
  port: 'approvalHandler',
  configSchema: { type: 'object', additionalProperties: false },
  create() {
    return {
      async request({ tool }) {
        appendFileSync(join(import.meta.dirname, 'asked.txt'), tool + '\\n');
        return { decision: 'approved', reason: 'the plugin decided' };
      },
      async fetch(request) {
        return Response.json({ path: new URL(request.url).pathname });
      },
      closeStreams() {},
    };
  },
};
`;

for (const [name, plugins] of [
  ['with a state store', { stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' } }],
  ['without a state store', {}],
] as const) {
  test(`a handler of another author that serves pages is asked, and its pages are mounted, ${name}`, async () => {
    await using server = await startServer(
      { plugins: { ...plugins, approvalHandler: { use: './handler.mjs' } } },
      { 'handler.mjs': handlerWithPages },
    );
    const called = await server.post('/v1/tools/launch', { args: { target: 'moon' } });
    assert.equal(called.body.status, 'ok');
    assert.deepEqual(await server.installation.launches(), ['launch moon']);
    assert.equal(await readFile(join(server.installation.folder, 'asked.txt'), 'utf8'), 'launch\n');
    const page = await fetch(`${server.url}/approvals`);
    assert.deepEqual(await page.json(), { path: '/approvals' });
  });
}
