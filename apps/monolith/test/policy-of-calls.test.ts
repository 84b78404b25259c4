import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { play, startPlaying, useTool } from './support/playing-model.ts';
import { approve, pendingOf, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import type { TestServer } from './support/server.ts';

/** Tools whose risk, size and order matter. */
const desk = `
const text = (value) => ({ content: [{ type: 'text', text: value }], isError: false });
const tool = (name, execute, more = {}) =>
  ({ name, description: name + '.', risk: 'safe', inputSchema: { type: 'object' }, execute, ...more });
export default [
  tool('files', async ({ action }) => text(action + ' done'), {
    inputSchema: {
      type: 'object', required: ['action'], additionalProperties: false,
      properties: { action: { enum: ['read', 'delete'] } },
    },
    classifyRisk: ({ action }) => ({ risk: action === 'delete' ? 'critical' : 'safe', summary: 'files ' + action }),
  }),
  tool('table', async ({ rows = 2000 }) => text('row '.repeat(rows))),
  tool('size', async ({ data }) => text(String(data.length)), {
    inputSchema: { type: 'object', properties: { data: { type: 'string' } } },
  }),
];`;

const careful = `---
name: careful
description: How to work with files.
allowed-tools: files
---
Read before you delete.
`;

let server: TestServer;
beforeAll(async () => {
  const files = { 'tools/desk.mjs': desk, 'skills/careful/SKILL.md': careful };
  server = await startPlaying({ skills: ['./skills'] }, files);
}, 60_000);
afterAll(() => server[Symbol.asyncDispose]());

test('the risk of a call follows from its arguments: reading runs, and deleting waits for a person', async () => {
  const { body: read } = await server.post('/v1/tools/files', { args: { action: 'read' } });
  assert.equal(read.text, 'read done');
  const steps = [[useTool('a', 'files', { action: 'delete' })]];
  const { body } = await server.post('/v1/runs', { kind: 'agent', task: JSON.stringify(steps) });
  const [asked] = await pendingOf(server.url, body.id, 1);
  assert.deepEqual([asked.risk, asked.summary], ['critical', 'files delete']);
  await untilStatus(server.url, body.id, 'paused');
  await approve(server.url, asked, { decision: 'skipped', reason: 'not today' });
  assert.match((await until(server.url, body.id, 'run-end')).text, /not today/);
  const { body: run } = await server.get(`/v1/runs/${body.id}`);
  assert.deepEqual([run.trace[0].status, run.trace[0].approval.decision], ['denied', 'skipped']);
});

test('arguments that are missing and names that do not exist are errors that say what to do', async () => {
  const { body: missing } = await server.post('/v1/tools/files', { args: {} });
  assert.deepEqual([missing.status, missing.error.code], ['error', 'E_ARGUMENTS_INVALID']);
  assert.match(missing.error.message, /action/);
  const { run, text } = await play(server, [[useTool('a', 'filse'), useTool('b', '')]]);
  assert.deepEqual(
    run.trace.map(({ errorCode }: Body) => errorCode),
    ['E_TOOL_UNKNOWN', 'E_TOOL_UNKNOWN'],
  );
  assert.match(text, /Did you mean files\?/);
});

test('a script reaches neither itself nor more calls than its budget', async () => {
  const code = `
    const inner = await tools.tool_chain.safe({ code: 'return 1' });
    const more = [];
    for (let n = 0; n < 3; n += 1) more.push((await tools.files.safe({ action: 'read' })).error?.code ?? 'ok');
    return [inner.error.code, ...more];`;
  const { body } = await server.chain(code, { maxScriptCalls: 3 });
  assert.deepEqual(body.value, ['E_TOOL_NOT_CALLABLE', 'ok', 'ok', 'E_BUDGET_EXHAUSTED']);
  assert.deepEqual(
    body.callTrace.map(({ tool, status, argsDigest }: Body) => [tool, status, argsDigest !== '']),
    [
      ['tool_chain', 'error', true],
      ['files', 'ok', true],
      ['files', 'ok', true],
      ['files', 'error', true],
    ],
  );
});

test('the gates judge a call in their order, and the first that refuses it gives the reason', async () => {
  const gone = { $artifact: `blob_${'0'.repeat(32)}` };
  const codeOf = async (tool: string, args: object): Promise<string> =>
    (await server.post(`/v1/tools/${tool}`, { args })).body.error.code;
  // The budget is judged before the name of the tool, and the kind of the tool before its arguments.
  const { body } = await server.chain(
    `const first = await tools.tool_chain.safe({});
     const second = await tools['no' + 'where'].safe({});
     return [first.error.code, second.error.code];`,
    { maxScriptCalls: 1 },
  );
  assert.deepEqual(body.value, ['E_TOOL_NOT_CALLABLE', 'E_BUDGET_EXHAUSTED']);
  // What the caller may call is judged before references, and both of them and arguments before a person is asked.
  const { run } = await play(server, [
    [useTool('a', 'activate_skill', { name: 'careful' })],
    [useTool('b', 'size', { data: gone, more: 1 })],
  ]);
  assert.equal(run.trace.at(-1).errorCode, 'E_TOOL_NOT_ALLOWED');
  const { body: before } = await server.get('/v1/approvals');
  assert.equal(await codeOf('launch', { target: gone }), 'E_BLOB_NOT_FOUND');
  assert.equal(await codeOf('files', { action: 'delete', more: 1 }), 'E_ARGUMENTS_INVALID');
  const { body: after } = await server.get('/v1/approvals');
  assert.equal(after.items.length, before.items.length);
});

test('a script passes a large result on to another tool, and the model reads only what the script returns', async () => {
  const code = `
    const table = await tools.table({ rows: 300_000 });
    return { kind: typeof table, size: await tools.size({ data: table }) };`;
  const { requests, run } = await play(server, [
    [useTool('a', 'tool_chain', { code })],
    [{ type: 'text', text: 'done' }],
  ]);
  const told = JSON.stringify(requests[1].messages);
  assert.match(told, /1200000/);
  // Above maxScriptResultBytes not even the script has it, only a handle.
  assert.match(told, /object/);
  assert.doesNotMatch(told, /row row/);
  assert.deepEqual(run.trace.map(({ tool, status }: Body) => `${tool} ${status}`).toSorted(), [
    'size ok',
    'table ok',
    'tool_chain ok',
  ]);
});

test('a large result is a preview and a reference, whose content another tool gets; one without content is refused', async () => {
  const { run, requests } = await play(server, [[useTool('a', 'table')], [{ type: 'text', text: 'read' }]]);
  const [{ ref, bytes }] = run.artifacts;
  assert.equal(bytes, 8_000);
  assert.match(JSON.stringify(requests[1].messages), /8000 bytes of text\/plain stored; the first \d+ are shown/);
  assert.equal(JSON.stringify(requests[1].messages).includes(ref), true);
  const { body: small } = await server.post('/v1/tools/table', { args: { rows: 2 } });
  assert.deepEqual([small.text, small.artifactRef], ['row row ', undefined]);
  const sessionId = 'sizes';
  const { body: large } = await server.post('/v1/tools/table', { args: {}, sessionId });
  const sizeOf = async (ref: string): Promise<Body> =>
    (await server.post('/v1/tools/size', { args: { data: { $artifact: ref } }, sessionId })).body;
  assert.equal((await sizeOf(large.artifactRef)).text, '8000');
  assert.equal((await sizeOf(`blob_${'0'.repeat(32)}`)).error.code, 'E_BLOB_NOT_FOUND');
});

test('a skill that the model activates adds its instructions and restricts the tools, until it is deactivated', async () => {
  const skill = { name: 'careful' };
  const { requests, text } = await play(server, [
    [useTool('a', 'activate_skill', skill)],
    [useTool('b', 'table'), useTool('c', 'files', { action: 'read' })],
    [useTool('d', 'deactivate_skill', skill)],
    [useTool('e', 'table', { rows: 1 })],
  ]);
  assert.match(requests[0].system, /- careful: How to work with files\./);
  assert.doesNotMatch(requests[0].system, /Read before you delete/);
  assert.match(requests[1].system, /## Skill: careful\n\nRead before you delete\./);
  assert.doesNotMatch(requests[3].system, /Read before you delete/);
  assert.match(text, /The tool table is not allowed.* \| read done \| .* \| row $/s);
});
