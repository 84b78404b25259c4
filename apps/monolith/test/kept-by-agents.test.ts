import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createInstallation } from './support/installation.ts';
import { answer, approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { buildServer, startBundled } from './support/server-process.ts';
import { callingModel, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';
import { beforeAll, test } from 'vitest';

/** Tools whose results a run keeps: a picture, attempts, a large result. `gate` waits for the file `open`, `look` reads the files of its run. */
const keepTools = `
import { access, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
const file = (name) => join(import.meta.dirname, '..', name);
const text = (value) => ({ content: [{ type: 'text', text: value }], isError: false });
const tool = (name, execute, more = {}) =>
  ({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute, ...more });
const photo = async () => ({
  content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array([137, 80, 78, 71]) } }],
  isError: false,
});
const attempts = new Map();
export default [
  tool('photo', photo),
  tool('snap', photo),
  tool('flaky', async (_args, { idempotencyKey }) => {
    const attempt = (attempts.get(idempotencyKey) ?? 0) + 1;
    attempts.set(idempotencyKey, attempt);
    if (attempt < 3) throw Object.assign(new Error('busy'), { code: 'BUSY', retryable: true });
    return text('attempt ' + attempt);
  }),
  tool('table', async () => text('row '.repeat(4_000))),
  tool('gate', async (_args, { signal }) => {
    await appendFile(file('waiting.txt'), 'x');
    for (;;) {
      if (await access(file('open')).then(() => true, () => false)) return text('open');
      await setTimeout(20, undefined, { signal });
    }
  }),
  tool('look', async (_args, { files }) => {
    const seen = [];
    for (const { path, bytes } of files.list()) seen.push([path.replace(/.*-(photo|snap)-/, '$1-'), bytes, (await files.read(path)).length]);
    return { content: [], isError: false, structuredContent: seen };
  }),
  tool('charge', async () => {
    await appendFile(file('charges.txt'), 'x');
    throw Object.assign(new Error('busy'), { code: 'BUSY', retryable: true, hadNoEffect: true, retryAfterMs: 40_000 });
  }, { risk: 'high' }),
];`;

// Its time belongs to no test.
beforeAll(buildServer, 300_000);

const call = (name: string, args: object = {}): Call => [name, args];
const sun = { target: 'sun' };
const planets = ['mercury', 'venus'];
const loop = `for (const target of ${JSON.stringify(planets)}) await tools.launch({ target }); return 'all';`;

/** The same calls, by a model and by a script. */
const steps = [
  [call('photo'), call('flaky'), call('table')],
  [call('launch', { target: 'moon' })],
  [call('gate'), call('tool_chain', { code: 'await tools.snap({}); return 1' })],
  [call('look')],
  [call('launch', sun)],
  [call('launch', sun)],
];
const code = `
  await Promise.all([tools.photo({}), tools.flaky({}), tools.table({}), tools.snap({})]);
  await tools.launch({ target: 'moon' });
  await tools.gate({});
  const seen = await tools.look({});
  await tools.launch(${JSON.stringify(sun)});
  const last = await tools.launch.safe(${JSON.stringify(sun)});
  return [seen, last.error.code];`;

test('the run of an agent keeps over kill -9 what the run of a script keeps', { timeout: 180_000 }, async () => {
  const plugins = { modelProvider: [{ use: './model.mjs' }] };
  await using installation = await createInstallation(
    {
      agent: { budget: { maxToolCalls: 8 } },
      approvals: { mode: 'pause' },
      policy: { toolRetryDelayMs: 2, callTimeoutMs: 60_000 },
      runs: { leaseMs: 6_000 },
      plugins,
    },
    { 'model.mjs': callingModel, 'tools/keep.mjs': keepTools },
  );
  const { folder } = installation;
  using first = startBundled(folder);
  const url = await first.url();
  const agent = await start(url, task(...steps));
  const script = (await send(url, '/v1/runs', { kind: 'chain', code, policy: { maxScriptCalls: 8 } })).id;
  const charging = await start(url, task([call('charge')]));
  const question = call('ask_clarification', { question: 'Shall I continue?' });
  const asking = await start(
    url,
    task([call('photo')], [call('launch', sun)], [question], [call('look'), call('launch', sun)]),
  );
  for (const runId of [agent, script, charging, asking]) {
    const [asked] = await pendingOf(url, runId, 1);
    await approve(url, asked, { decision: 'approved', scope: 'run' });
  }
  const together = await start(url, task([call('tool_chain', { code: loop, approve: 'set' })]));
  const [set] = await pendingOf(url, together, 1);
  await until(url, charging, 'tool-retry');
  while ((await send(url, `/v1/runs/${asking}`)).questions?.length !== 1) await pause(20);
  const waiting = (): Promise<string> => readFile(join(folder, 'waiting.txt'), 'utf8').catch(() => '');
  while ((await waiting()).length < 2) await pause(20);
  // The script has ended, and its result is not part of the conversation yet.
  while ((await send(url, `/v1/runs/${agent}`)).children[0]?.status !== 'completed') await pause(20);
  first.signal('SIGKILL');
  await first.exit;

  await writeFile(join(folder, 'open'), '');
  using second = startBundled(folder);
  const next = await second.url();
  const ended = async (runId: string): Promise<Body> => {
    for (;;) {
      const now = await send(next, `/v1/runs/${runId}`);
      if (now.status !== 'running') return now;
      await pause(20);
    }
  };
  const [run, chain] = [await ended(agent), await ended(script)];
  assert.deepEqual([run.status, chain.status], ['completed', 'completed'], JSON.stringify([run, chain]));
  // Files, and the approval for the run: the second launch needs no question. Its budget ends both.
  const files = [
    ['photo-0.png', 4, 4],
    ['snap-0.png', 4, 4],
  ];
  assert.deepEqual(chain.outcome.result.value, [files, 'E_BUDGET_EXHAUSTED']);
  const { items } = await send(next, `/v1/sessions/${run.sessionId}/history`);
  assert.ok(JSON.stringify(items).includes(JSON.stringify(JSON.stringify(files)).slice(1, -1)), JSON.stringify(items));
  assert.equal(run.outcome.result.reason, 'budget', JSON.stringify(run.outcome));
  // At most once, retries, artifacts and digests.
  const digests = [run, chain].map(({ trace }) => trace.find(({ tool }: Body) => tool === 'launch').argsDigest);
  assert.match(digests[0], /^hmac-sha256:/);
  assert.equal(digests[1], digests[0]);
  for (const kept of [run, chain]) {
    const attempts = kept.trace.find(({ tool }: Body) => tool === 'flaky').attempts;
    assert.equal(attempts.length, 3);
    for (const { ref, bytes } of kept.artifacts) {
      const content = await fetch(`${next}/v1/artifacts/${ref}/content`);
      assert.equal((await content.arrayBuffer()).byteLength, bytes);
    }
  }
  assert.deepEqual(run.artifacts.length, chain.artifacts.length);
  await approve(next, set);
  assert.equal((await untilStatus(next, together, 'completed')).outcome.result.text, 'all');
  await answer(next, asking, 'yes');
  const answered = await untilStatus(next, asking, 'completed');
  assert.match(answered.outcome.result.text, /launched \| yes \| \[\["photo-0\.png",4,4\]\] \| launched$/);
  const charged = await untilStatus(next, charging, 'completed');
  assert.deepEqual(
    charged.trace.map(({ errorCode }: Body) => errorCode),
    ['E_CALL_UNKNOWN'],
  );
  assert.equal(await readFile(join(folder, 'charges.txt'), 'utf8'), 'x');
  assert.deepEqual(
    (await installation.launches()).toSorted(),
    [
      ...planets.map((planet) => `launch ${planet}`),
      'launch moon',
      'launch moon',
      ...Array.from({ length: 4 }, () => 'launch sun'),
    ].toSorted(),
  );
});
