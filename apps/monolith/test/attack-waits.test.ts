import assert from 'node:assert/strict';
import { test } from 'vitest';
import { deliver, startedOf } from './support/completions.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import { callingModel, task } from './support/sub-agents.ts';

const plugins = {
  modelProvider: [{ use: './model.mjs' }],
  stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
};

/** Declares no risk, and starts work outside. */
const orderTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
export default {
  name: 'order', description: 'Orders elsewhere.', risk: 'safe', suspends: true, inputSchema: { type: 'object' },
  async execute(_, context) {
    const { token, url, result } = await context.completion();
    await appendFile(join(import.meta.dirname, '../tokens.txt'), JSON.stringify({ to: 'out', token, url }) + '\\n');
    return result;
  },
};`;

test(
  'no input waits above the limit, from 40 requests at once too, and the run reads those that were accepted',
  { timeout: 180_000 },
  async () => {
    await using server = await startServer(
      { approvals: { mode: 'pause' }, runs: { maxWaitingInputs: 5 }, plugins },
      { 'model.mjs': callingModel },
      { isServer: true },
    );
    const { url } = server;
    const post = async (runId: string, text: string): Promise<readonly [number, string | null, string]> => {
      const response = await fetch(`${url}/v1/runs/${runId}/input`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': text },
        body: JSON.stringify({ text }),
      });
      return [response.status, response.headers.get('retry-after'), await response.text()];
    };
    const runId = await start(url, task([['launch', {}]], [['launch', { target: 'sun' }]]));
    await untilStatus(url, runId, 'paused');
    const texts = Array.from({ length: 40 }, (_, index) => `input-${index}`);
    const answers = await Promise.all(texts.map((text) => post(runId, text)));
    const accepted = texts.filter((_, index) => answers[index]?.[0] === 202);
    assert.equal(accepted.length, 5, JSON.stringify(answers.map(([status]) => status)));
    const refused = answers.find(([status]) => status !== 202);
    assert.equal(refused?.[0], 429);
    assert.ok(Number(refused?.[1]) >= 1);
    assert.match(
      refused?.[2] ?? '',
      new RegExp(`Run ${runId} has 5 inputs that it has not read, the limit of runs\\.maxWaitingInputs`),
    );
    // An input that was accepted is accepted again, and a refused key stays free.
    assert.equal((await post(runId, accepted[0] as string))[0], 202);

    const [first] = await pendingOf(url, runId, 1);
    await approve(url, first);
    for (;;) {
      const [next] = await pendingOf(url, runId, 1);
      if (next.id !== first.id) break;
    }
    // What the run has read makes room again: refused ones come now.
    const late = texts.find((text) => !accepted.includes(text)) as string;
    assert.equal((await post(runId, late))[0], 202);
    const { inputs } = await send(url, `/v1/runs/${runId}`);
    assert.deepEqual(
      inputs.map(({ isRead }: { isRead: boolean }) => isRead),
      [true, true, true, true, true, false],
    );
    assert.deepEqual(inputs.map(({ text }: { text: string }) => text).toSorted(), [...accepted, late].toSorted());
  },
);

test('a dry run starts no work outside, and the real run starts it once', { timeout: 180_000 }, async () => {
  await using server = await startServer(
    { approvals: { mode: 'pause' }, plugins },
    { 'model.mjs': callingModel, 'tools/order.mjs': orderTool },
    { isServer: true },
  );
  const { url, installation } = server;
  const code = `await tools.launch({}); const ordered = tools.order({}); return [await ordered];`;
  const run = await send(url, '/v1/runs', { kind: 'chain', code, approve: 'set' });
  const [asked] = await pendingOf(url, run.id, 1);
  assert.equal(asked.tool, 'approve_calls');
  assert.deepEqual(
    asked.args.calls.map(({ tool }: { tool: string }) => tool),
    ['launch'],
  );
  await approve(url, asked);
  const started = await startedOf(installation, 1);
  assert.deepEqual((await deliver(url, started[0]?.token ?? '', { result: 'ordered' }))[0], 204);
  const ended = await until(url, run.id, 'run-end');
  assert.equal(ended.status, 'ok', JSON.stringify(ended));
  assert.equal((await startedOf(installation, 1)).length, 1);
  assert.deepEqual(await installation.launches(), ['launch nowhere']);
});
