import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '@ravi/host';
import { afterAll, beforeAll, test } from 'vitest';
import { approve, pendingOf, send, start, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { callingModel, task } from './support/sub-agents.ts';

const config: RaviConfig = {
  approvals: { mode: 'pause' },
  plugins: { modelProvider: [{ use: './model.mjs' }] },
};

/** `secret` may be called without approval, and `act` writes its arguments into a file. */
const tools = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const answer = (text) => ({ content: [{ type: 'text', text }], isError: false });
export default [
  {
    name: 'secret', description: 'Reads.', risk: 'safe', inputSchema: { type: 'object' },
    execute: async () => answer('the secret'),
  },
  {
    name: 'act', description: 'Acts.', risk: 'high', inputSchema: { type: 'object' },
    async execute(args) {
      await appendFile(join(import.meta.dirname, '../acts.txt'), JSON.stringify(args) + '\\n');
      return { ...answer('done'), structuredContent: { isDone: true } };
    },
  },
];`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer(config, { 'model.mjs': callingModel, 'tools/act.mjs': tools }, { isServer: true });
});
afterAll(() => server[Symbol.asyncDispose]());

const set = (code: string): object => ({ code, approve: 'set' });

async function actsOf(): Promise<readonly string[]> {
  const text = await readFile(join(server.installation.folder, 'acts.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
}

/** Waits until a run has ended, or asks again, and returns the arguments of what it asks for. */
async function nextOf(runId: string): Promise<readonly Body[]> {
  for (;;) {
    const run = await send(server.url, `/v1/runs/${runId}`);
    const { items } = await send(server.url, `/v1/approvals?runId=${runId}&status=pending`);
    if (items.length > 0) return items.map(({ tool, args }: Body) => [tool, args]);
    if (run.outcome !== undefined) return [];
    await pause(20);
  }
}

/** A script, the arguments of its calls as people see and approve them, and what it asks for later. */
const scripts: Readonly<Record<string, readonly [code: string, shown: readonly object[], later?: object]>> = {
  'a getter that counts its reads': [`let n = 0; await tools.act({ get a() { return n++; } });`, [{ a: 1 }]],
  'toJSON that counts its calls': [`let n = 0; await tools.act({ toJSON: () => ({ n: n++ }) });`, [{ n: 0 }]],
  'a proxy that renames its keys': [
    `let n = 0; await tools.act(new Proxy({}, {
      ownKeys: () => ['a' + n], get: () => n,
      getOwnPropertyDescriptor: () => ({ value: n++, enumerable: true, configurable: true }),
    }));`,
    [{ a1: 2 }],
  ],
  'random numbers, which a dry run shares with the run': [
    `await tools.act({ a: Math.random() < 2, b: typeof Date.now() });`,
    [{ a: true, b: 'number' }],
  ],
  'a race of an unknown result with a timer': [
    `await Promise.race([tools.act({ a: 1 }), new Promise((done) => setTimeout(done, 10))]); await tools.act({ b: 1 });`,
    [{ a: 1 }, { b: 1 }],
  ],
  'a script that notices the dry run': [
    `const x = await tools.act({ a: 1 });
     if (Object.prototype.toString.call(x) === '[object Object]' && typeof x !== 'function') await tools.act({ evil: 1 });`,
    [{ a: 1 }],
    { evil: 1 },
  ],
};

test.each(Object.entries(scripts))(
  'only approved calls of %s run',
  { timeout: 60_000 },
  async (_, [code, shown, later]) => {
    const before = (await actsOf()).length;
    const paused = await send(server.url, '/v1/chains', set(code));
    assert.equal(paused.status, 'paused', JSON.stringify(paused));
    const [asked] = await pendingOf(server.url, paused.runId, 1);
    const args = asked.args.calls.map((call: Body) => call.arguments);
    assert.deepEqual(args, shown);
    assert.equal((await actsOf()).length, before);
    await approve(server.url, asked);
    assert.deepEqual(await nextOf(paused.runId), later === undefined ? [] : [['act', later]]);
    assert.deepEqual(
      (await actsOf()).slice(before),
      shown.map((each) => JSON.stringify(each)),
    );
  },
);

test('keys that reach prototypes end the dry run, and nothing is asked', async () => {
  const before = await actsOf();
  for (const key of ['__proto__', 'constructor']) {
    const code = `await tools.act(JSON.parse('{"${key}":{"prototype":{"target":"sun"}}}'));`;
    const { error } = await send(server.url, '/v1/chains', set(code));
    assert.equal(error.code, 'E_ARGUMENTS_INVALID', key);
    assert.match(error.message, new RegExp(key));
  }
  assert.deepEqual(await actsOf(), before);
});

test(
  'a set is not approved for the run, and each further set of the run is asked for',
  { timeout: 60_000 },
  async () => {
    const scriptFor = (target: string): object => set(`await tools.launch({ target: '${target}' });`);
    const id = await start(server.url, task([['tool_chain', scriptFor('one')]], [['tool_chain', scriptFor('two')]]));
    const [first] = await pendingOf(server.url, id, 1);
    const forRun = await send(server.url, `/v1/approvals/${first.id}/decision`, { decision: 'approved', scope: 'run' });
    assert.equal(forRun.error.code, 'E_REQUEST_INVALID');
    await approve(server.url, first);
    const [second] = await pendingOf(server.url, id, 1);
    assert.equal(second.args.calls[0].arguments.target, 'two');
    assert.deepEqual(await server.installation.launches(), ['launch one']);
  },
);

test('a script gets no result of its dry run from a tool that was forbidden before the approval', async () => {
  const code = `const { text, error } = await tools.secret.safe({}); await tools.launch(); return error?.code ?? text;`;
  const paused = await send(server.url, '/v1/chains', set(code));
  const { configPath } = server.installation;
  const written = await readFile(configPath, 'utf8');
  await writeFile(configPath, JSON.stringify({ ...JSON.parse(written), toolAccess: { disabled: ['secret'] } }));
  assert.deepEqual((await send(server.url, '/v1/reload', {})).config.changed, ['toolAccess.disabled']);
  const [asked] = await pendingOf(server.url, paused.runId, 1);
  await approve(server.url, asked);
  const run = await untilStatus(server.url, paused.runId, 'completed');
  assert.equal(run.outcome.result.value, 'E_TOOL_UNKNOWN');
});
