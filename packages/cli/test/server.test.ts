import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tokens } from '@ravi/monolith';
import { afterAll, beforeAll, test } from 'vitest';
import { runCaptured, startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const files = {
  'ravi.config.json':
    '{ "tools": ["./tools"], "agent": { "demoScript": "./sum.ts" }, "policy": { "toolRetryDelayMs": 1 } }',
  'flaky.ts': 'return await tools.flaky();',
  'tools/flaky.mjs': `let calls = 0;
    export default { name: 'flaky', description: 'Fails once.', risk: 'safe', inputSchema: { type: 'object' },
    async execute() {
      if (++calls === 1) throw Object.assign(new Error('The bank is busy'), { code: 'BUSY', retryable: true });
      return { content: [{ type: 'text', text: 'paid' }], isError: false };
    } };`,
  'sum.ts': 'console.log("adding");\nreturn tools.add({ a: 2, b: 3 });',
  'launch.ts': 'return await tools.launch();',
  'tools/deploy.mjs': `export default { name: 'deploy', description: 'Deploys.', risk: 'safe', inputSchema: { type: 'object' },
    execute: async (_args, context) => (await context.completion()).result };`,
  'wrong.ts': 'await tools.launch();\nawait tools.ad({});',
  'broken.ts': 'const a = ;',
  'wait.ts': 'return await tools.wait();',
  'large.ts': 'return (await tools.rows()).length;',
  'travel.ts': 'return await tools.travel();',
  'tools/travel.mjs': `export default { name: 'travel', description: 'Books.', risk: 'safe', inputSchema: { type: 'object' },
    async execute(_args, { elicit }) {
      const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      const answer = await elicit({ mode: 'form', message: 'Where to?', schema });
      return { content: [{ type: 'text', text: answer.action + ' ' + answer.content?.city }], isError: false };
    } };`,
  'tools/rows.mjs': `export default { name: 'rows', description: 'Many rows.', risk: 'safe', inputSchema: { type: 'object' },
    execute: async () => ({ content: [], isError: false, structuredContent: Array.from({ length: 9_000 }, (_, i) => i) }) };`,
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer(files);
});
afterAll(() => server[Symbol.asyncDispose]());

/** The id of the next question that a run asks. */
function nextQuestion(): Promise<string> {
  const hooks = server.monolith.container.resolve(tokens.hooks);
  return new Promise((resolve) => {
    const stop = hooks.observe('approval-requested', ({ requestId }) => {
      stop();
      resolve(requestId);
    });
  });
}

/** The id of the next run that calls `wait`. */
function nextWaiting(): Promise<string> {
  const hooks = server.monolith.container.resolve(tokens.hooks);
  return new Promise((resolve) => {
    const stop = hooks.observe('tool-call', ({ tool, runId }) => {
      if (tool !== 'wait') return;
      stop();
      resolve(runId);
    });
  });
}

test('a script runs on the server, and the run can be listed and shown', async () => {
  const { code, output, errors } = await server.ravi(['chain', 'run', 'sum.ts']);
  assert.equal(code, 0, errors);
  assert.equal(output, '5\n');
  assert.match(errors, /console\.log: adding/);
  assert.match(errors, /add: ok in [\d.]+ ms/);
  const listed = await server.ravi(['runs', 'ls', '--kind', 'chain', '--json']);
  const [run] = (JSON.parse(listed.output) as { items: { id: string }[] }).items;
  const shown = await server.ravi(['runs', 'show', run?.id ?? '']);
  assert.match(shown.output, /^status +completed$/m);
  assert.match(shown.output, /^ {2}add +ok +[\d.]+ ms/m);
  const table = await server.ravi(['runs', 'ls']);
  assert.match(table.output, new RegExp(`^${run?.id}  chain  completed  \\d{4}-`, 'm'));
});

test('a call that was repeated is shown with its attempts', async () => {
  const { output, errors } = await server.ravi(['chain', 'run', 'flaky.ts']);
  assert.equal(output, 'paid\n');
  assert.match(errors, /flaky: BUSY; attempt 2 in 0\.0 s: The bank is busy/);
  const listed = await server.ravi(['runs', 'ls', '--kind', 'chain', '--json']);
  const [run] = (JSON.parse(listed.output) as { items: { id: string }[] }).items;
  const shown = await server.ravi(['runs', 'show', run?.id ?? '']);
  assert.match(shown.output, /^ {2}flaky +ok +[\d.]+ ms in 2 attempts/m);
});

test('the agent answers a task in words, and its run as JSON', async () => {
  const { code, output, errors } = await server.ravi(['run', 'Add two and three.']);
  assert.equal(code, 0, errors);
  assert.match(
    output,
    /^I will write one script for this[^\n]*\nThe script returned:\n\n5\nConsole output:\nadding\n$/,
  );
  assert.match(errors, /tool_chain: ok/);
  const json = await server.ravi(['run', 'Again.', '--json']);
  const run = JSON.parse(json.output) as { status: string; text: string; task: string };
  assert.equal(run.status, 'completed');
  assert.equal(run.task, 'Again.');
  assert.match(run.text, /5/);
});

test('a call waits until it is approved at another terminal', async () => {
  const question = nextQuestion();
  const running = server.ravi(['chain', 'run', 'launch.ts']);
  const id = await question;
  const listed = await server.ravi(['approvals', 'ls']);
  assert.match(listed.output, new RegExp(`^${id}  launch  high  pending  `, 'm'));
  const shown = await server.ravi(['approvals', 'show', id]);
  assert.match(shown.output, /^purpose +Leaves a line in a file\.$/m);
  const answered = await server.ravi(['approvals', 'approve', id, '--reason', 'go', '--yes']);
  assert.deepEqual(answered, { code: 0, output: 'Approved: launch\n', errors: '' });
  const { code, output, errors } = await running;
  assert.equal(code, 0, errors);
  assert.equal(output, 'launched\n');
  assert.match(errors, new RegExp(`launch waits for approval: ravi approvals approve ${id}`));
  const second = await server.ravi(['approvals', 'deny', id]);
  assert.equal(second.code, 1);
  assert.match(second.errors, /E_APPROVAL_DECIDED: local decided first/);
});

test('a denial ends the command with exit code 3 and the reason', async () => {
  const question = nextQuestion();
  const running = server.ravi(['chain', 'run', 'launch.ts']);
  const denied = await server.ravi(['approvals', 'deny', await question, '--reason', 'not today']);
  assert.equal(denied.output, 'Denied: launch\n');
  const { code, errors } = await running;
  assert.equal(code, 3);
  assert.match(errors, /not today/);
});

test('--approve decides the questions of a run on a server too', async () => {
  const approved = await server.ravi(['chain', 'run', 'launch.ts', '--approve', 'auto']);
  assert.equal(approved.code, 0, approved.errors);
  assert.match(approved.errors, /warning: --approve auto approves every call/);
  const denied = await server.ravi(['chain', 'run', 'launch.ts', '--approve', 'deny']);
  assert.equal(denied.code, 3, denied.errors);
});

test('a run is followed from another terminal and cancelled', async () => {
  const waiting = nextWaiting();
  const running = server.ravi(['chain', 'run', 'wait.ts']);
  const id = await waiting;
  const tail = server.ravi(['runs', 'tail', id]);
  const cancelled = await server.ravi(['runs', 'cancel', id]);
  assert.equal(cancelled.output, `${id} is being cancelled\n`);
  assert.equal((await running).code, 130);
  const { code, errors } = await tail;
  assert.equal(code, 130);
  assert.match(errors, /The run is cancelled/);
  const again = await server.ravi(['runs', 'cancel', id]);
  assert.equal(again.code, 1);
  assert.match(again.errors, /E_STATE_CONFLICT/);
});

test('a check names what is certain to go wrong and calls nothing', async () => {
  const { code, output } = await server.ravi(['chain', 'check', 'wrong.ts']);
  assert.equal(code, 1);
  assert.match(output, /^2:13 There is no tool named "ad"\nDid you mean tools\.add\(args\)\?\n.*\n> 2 \| /);
  const broken = await server.ravi(['chain', 'check', 'broken.ts']);
  assert.equal(broken.code, 1);
  assert.match(broken.output, /^1:11 Unexpected token/);
  const fine = await server.ravi(['chain', 'check', 'sum.ts']);
  assert.deepEqual(fine, { code: 0, output: 'No mistake was found.\n', errors: '' });
});

test('a script is saved as a tool when it runs well, from its file or its run', async () => {
  const described = ['--description', 'Adds two and three.'];
  const saved = await server.ravi(['chain', 'save', 'sum_up', 'sum.ts', ...described]);
  assert.equal(saved.code, 0, saved.errors);
  assert.equal(saved.output, 'Saved sum_up, version 1\n');
  const called = await server.ravi(['tools', 'call', 'sum_up']);
  assert.match(called.output, /5/, called.errors);
  const run = await server.ravi(['chain', 'run', 'sum.ts', '--json']);
  const { runId } = JSON.parse(run.output) as { runId: string };
  const again = await server.ravi(['chain', 'save', 'sum_up', '--run', runId, ...described]);
  assert.equal(again.output, 'Saved sum_up, version 2\n');
  const failed = await server.ravi(['chain', 'save', 'broken', 'wrong.ts', ...described]);
  assert.equal(failed.code, 1);
  assert.match(failed.errors, /There is no tool named "ad"/);
  const neither = await server.ravi(['chain', 'save', 'sum_up', ...described]);
  assert.match(neither.errors, /E_USAGE: Give either a file/);
});

test('a tool is called with checked arguments, and a wrong name gets the near one', async () => {
  const called = await server.ravi(['tools', 'call', 'add', '{"a":1,"b":2}']);
  assert.deepEqual(called, { code: 0, output: '3\n', errors: '' });
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['add', '{"a":1}'], /E_ARGUMENTS_INVALID: .*b/],
    [['add', '[1]'], /E_USAGE: The arguments must be a JSON object/],
    [['add', '{a'], /E_USAGE: The arguments are not JSON/],
    [['ad', '{}'], /E_TOOL_UNKNOWN: There is no tool "ad"; did you mean add\?/],
  ];
  for (const [args, message] of cases) {
    const { code, errors } = await server.ravi(['tools', 'call', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(errors, message);
  }
});

test('a call of a tool on a server says where its approval is given, and refuses to give it', async () => {
  const question = nextQuestion();
  const call = server.ravi(['tools', 'call', 'launch']);
  await server.ravi(['approvals', 'deny', await question]);
  const denied = await call;
  assert.equal(denied.code, 3);
  assert.match(denied.errors, /^If launch needs approval, it waits until a person decides: see "ravi approvals ls"$/m);
  const refused = await server.ravi(['tools', 'call', 'launch', '--approve', 'auto']);
  assert.equal(refused.code, 2);
  assert.match(refused.errors, /E_USAGE: --approve decides no call of a tool on a server/);
});

test('an artifact is listed and written to a new file, and to no other', async () => {
  const run = await server.ravi(['chain', 'run', 'large.ts', '--json']);
  const { runId } = JSON.parse(run.output) as { runId: string };
  const listed = await server.ravi(['artifacts', 'ls', '--run', runId, '--json']);
  const { items } = JSON.parse(listed.output) as { items: { ref: string; bytes: number }[] };
  const { ref = '', bytes = 0 } = items[0] ?? {};
  const got = await server.ravi(['artifacts', 'get', ref, '--output', 'rows.json']);
  assert.equal(got.code, 0, got.errors);
  assert.equal((await readFile(join(server.folder, 'rows.json'))).byteLength, bytes);
  const again = await server.ravi(['artifacts', 'get', ref, '--output', 'rows.json']);
  assert.equal(again.code, 2);
  assert.match(again.errors, /E_USAGE: .*EEXIST/);
  const unknown = await server.ravi(['artifacts', 'get', '../x']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.errors, /E_ARTIFACT_UNKNOWN/);
});

test('a file is stored as an artifact of a session', async () => {
  const put = await server.ravi(['artifacts', 'put', 'sum.ts', '--type', 'text/plain', '--session', 'mine', '--json']);
  assert.equal(put.code, 0, put.errors);
  const { ref, bytes, mediaType, scope } = JSON.parse(put.output) as Record<string, unknown>;
  const content = await readFile(join(server.folder, 'sum.ts'));
  assert.deepEqual([bytes, mediaType], [content.byteLength, 'text/plain']);
  assert.equal((scope as { sessionId: string }).sessionId, 'mine');
  const got = await server.ravi(['artifacts', 'get', String(ref), '--output', 'copy.ts']);
  assert.equal(got.code, 0, got.errors);
  assert.deepEqual(await readFile(join(server.folder, 'copy.ts')), content);
  const shown = await server.ravi(['artifacts', 'put', 'sum.ts']);
  assert.match(shown.output, /^blob_[0-9a-f]{32}: \d+ B, SHA-256 [0-9a-f]{64}, session session_/);
  const missing = await server.ravi(['artifacts', 'put', 'missing.csv']);
  assert.equal(missing.code, 2);
  assert.match(missing.errors, /E_USAGE: The file cannot be read: .*ENOENT/);
});

test('a command in its own process sees what the server keeps', async () => {
  const { code, output } = await runCaptured(['runs', 'ls', '--limit', '1', '--json'], { cwd: server.folder, env: {} });
  assert.equal(code, 0);
  assert.equal((JSON.parse(output) as { items: unknown[] }).items.length, 1);
});

test('without a server, and with what is none, the exit code is 5', async () => {
  const gone = await server.ravi(['runs', 'ls', '--server', 'http://127.0.0.1:9']);
  assert.equal(gone.code, 5);
  assert.match(
    gone.errors,
    /E_SERVER_UNREACHABLE: No server answers at http:\/\/127\.0\.0\.1:9: .*; start one with "ravi serve"/,
  );
  const noUrl = await server.ravi(['runs', 'ls', '--server', 'localhost']);
  assert.equal(noUrl.code, 2);
  const both = await server.ravi(['runs', 'ls', '--server', server.url, '--config', 'ravi.config.json']);
  assert.match(both.errors, /E_USAGE: --server and --config exclude each other/);
});

test('RAVI_TOKEN identifies the caller of a server with tokens', async () => {
  const token = 'a'.repeat(40);
  const config = { server: { tokens: [{ principal: 'ada', token: { $env: 'ADA' } }] } };
  await using guarded = await startServer({ 'ravi.config.json': JSON.stringify(config) }, { ADA: token });
  const stranger = await guarded.ravi(['runs', 'ls', '--json']);
  assert.equal(stranger.code, 5);
  assert.equal((JSON.parse(stranger.output) as { error: { code: string } }).error.code, 'E_UNAUTHENTICATED');
  const known = await guarded.ravi(['runs', 'ls', '--json'], { RAVI_TOKEN: token });
  assert.deepEqual(known, { code: 0, output: '{"items":[]}\n', errors: '' });
  // Who can read the files needs no token.
  const owner = await runCaptured(['runs', 'ls', '--json'], { cwd: guarded.folder, env: { ADA: token } });
  assert.equal(owner.code, 0, owner.errors);
});

test('a run that is stored while it waits ends the command with 4, and continues with the answer', async () => {
  const config = { tools: ['./tools'], approvals: { mode: 'pause' } };
  await using pausing = await startServer({ ...files, 'ravi.config.json': JSON.stringify(config) });
  const paused = await pausing.ravi(['chain', 'run', 'launch.ts']);
  assert.equal(paused.code, 4);
  const [, run = '', approval = ''] =
    /The run (\S+) waits for approval of launch: ravi approvals approve (\S+)/.exec(paused.errors) ?? [];
  const answered = await pausing.ravi(['approvals', 'approve', approval, '--yes']);
  assert.equal(answered.code, 0, answered.errors);
  const resumed = await pausing.ravi(['runs', 'resume', run]);
  assert.equal(resumed.code, 0, resumed.errors);
  assert.match(resumed.output, /^status +completed$/m);
  const again = await pausing.ravi(['runs', 'resume', run]);
  assert.equal(again.code, 0);
  assert.match(again.errors, /is completed; there is nothing to resume/);
  assert.doesNotMatch(again.errors, /waits for approval/);
});

test('a question without a decision in time is listed as parked, and an answer days later still counts', async () => {
  const config = { tools: ['./tools'], approvals: { mode: 'pause', expiryMs: 400, onExpiry: 'park' } };
  await using parking = await startServer({ ...files, 'ravi.config.json': JSON.stringify(config) });
  const paused = await parking.ravi(['chain', 'run', 'launch.ts']);
  assert.equal(paused.code, 4, paused.errors);
  const [, run = '', id = ''] =
    /The run (\S+) waits for approval of launch: \S+ approvals approve (\S+)/.exec(paused.errors) ?? [];
  let listed = await parking.ravi(['approvals', 'ls']);
  while (!listed.output.includes('parked')) listed = await parking.ravi(['approvals', 'ls']);
  assert.match(listed.output, new RegExp(`^${id}  launch  high  parked  `, 'm'));
  assert.match((await parking.ravi(['approvals', 'ls', '--status', 'parked'])).output, new RegExp(id));
  assert.doesNotMatch((await parking.ravi(['approvals', 'ls', '--status', 'pending'])).output, new RegExp(id));
  const shown = await parking.ravi(['approvals', 'show', id]);
  assert.match(shown.output, /^status +parked$/m);
  assert.match(
    (await parking.ravi(['runs', 'show', run])).output,
    /waits +for approval of launch: \S+ \(parked: its time has passed\)/,
  );
  const answered = await parking.ravi(['approvals', 'approve', id, '--yes']);
  assert.deepEqual(answered, { code: 0, output: 'Approved: launch\n', errors: '' });
  const resumed = await parking.ravi(['runs', 'resume', run]);
  assert.equal(resumed.code, 0, resumed.errors);
  assert.match(resumed.output, /^status +completed$/m);
});

test('a request for input is shown, and answered or declined with a command', async () => {
  const question = nextQuestion();
  const run = server.ravi(['chain', 'run', 'travel.ts', '--approve', 'auto']);
  const id = await question;
  const shown = await server.ravi(['approvals', 'show', id]);
  assert.match(shown.output, /asks for input:\nWhere to\?\n {2}city: text/);
  const asApproval = await server.ravi(['approvals', 'approve', id, '--yes']);
  assert.notEqual(asApproval.code, 0);
  const without = await server.ravi(['approvals', 'answer', id]);
  assert.match(without.errors, /Not a terminal: pass --content/);
  const invalid = await server.ravi(['approvals', 'answer', id, '--content', '{"town": "Oslo"}']);
  assert.notEqual(invalid.code, 0);
  assert.match(invalid.errors, /The answer is not valid at \/city/);
  const answered = await server.ravi(['approvals', 'answer', id, '--content', '{"city": "Oslo"}']);
  assert.deepEqual([answered.code, answered.output], [0, 'Answered: travel\n']);
  const { code, output, errors } = await run;
  assert.equal(code, 0, errors);
  assert.match(output, /accept Oslo/);
  // Rules do not answer.
  assert.match(errors, new RegExp(`travel asks for input: ravi approvals answer ${id}`));

  const next = nextQuestion();
  const second = server.ravi(['chain', 'run', 'travel.ts', '--approve', 'auto']);
  assert.equal((await server.ravi(['approvals', 'deny', await next])).code, 0);
  assert.match((await second).output, /decline/);
});

test('runs show and tail say that a call waits for its result from outside, and input for a script is refused', async () => {
  const started = fetch(`${server.url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'chain', code: 'return await tools.deploy();', approvalMode: 'pause' }),
  });
  const { id } = (await (await started).json()) as { readonly id: string };
  const tailed = await server.ravi(['runs', 'tail', id]);
  assert.match(tailed.errors, /deploy waits for its result from outside/);
  const shown = await server.ravi(['runs', 'show', id]);
  assert.match(shown.output, /^waits +for the result of deploy from outside, until \d{4}/m);
  const refused = await server.ravi(['runs', 'input', id, 'faster']);
  assert.match(refused.errors, /E_UNSUPPORTED/);
  assert.equal((await server.ravi(['runs', 'cancel', id])).code, 0);
});
