import assert from 'node:assert/strict';
import { createFsBlobStore } from '@ravi/blob-fs';
import type { BlobRef } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { startRetention } from '../src/maintenance/retention.ts';
import { createAbandonedPins } from '../src/maintenance/abandoned-pins.ts';
import { createInstallation } from './support/installation.ts';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { startProcess } from './support/server-process.ts';

/** Source of a model that calls three tools that return large results, then one that ends its process, then answers. */
const model = `
async function* stream({ messages }) {
  const calls = messages.filter(({ role }) => role === 'assistant').length;
  const name = calls < 3 ? 'large' : 'deadly';
  yield { type: 'block', block: calls < 4
    ? { type: 'tool_use', id: 'call_' + calls, name, arguments: {} }
    : { type: 'text', text: 'done' } };
  yield { type: 'finish', reason: calls < 4 ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'killing', stream });
export default { name: 'killing', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const tool = (name: string, body: string): string => `
export default { name: '${name}', description: 'A test.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() { ${body} return { content: [{ type: 'text', text: 'x'.repeat(200_000) }], isError: false }; } };`;

test(
  'after a kill no pin is left: those of the killed process go when the run has ended',
  { timeout: 120_000 },
  async () => {
    await using installation = await createInstallation(
      { plugins: { modelProvider: [{ use: './model.mjs' }] } },
      {
        'model.mjs': model,
        'tools/large.mjs': tool('large', ''),
        'tools/deadly.mjs': tool('deadly', "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});"),
      },
    );
    const { folder } = installation;
    using first = startProcess(folder, ['--port', '0']);
    const url = await first.url();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ kind: 'agent', task: 'go' });
    const { id: runId } = (await (await fetch(`${url}/v1/runs`, { method: 'POST', headers, body })).json()) as {
      id: string;
    };
    await first.exit;

    const clock = createFakeClock();
    const logger = createMemoryLogger();
    await using store = await createSqliteStateStore({ file: `${folder}/data/state.db` });
    const blobStore = createFsBlobStore({ root: join(folder, 'data/blobs'), clock });
    const refs = await refsIn(join(folder, 'data/blobs'));
    assert.equal(refs.length, 3);
    const pins = async (): Promise<readonly number[]> =>
      Promise.all(refs.map(async (ref) => (await blobStore.stat(ref))?.pins ?? 0));
    const pinsAfterKill = await pins();
    assert.ok(pinsAfterKill.every((count) => count > 0));

    // While the run may continue, the pins hold.
    clock.advance(Date.now() + 120_000 - clock.now());
    const sweep = () => blobStore.sweep(clock.now(), createAbandonedPins({ runs: store.runs, clock, logger }));
    await sweep();
    assert.deepEqual(await pins(), pinsAfterKill);

    // Another process ends the run. What the run keeps stays readable until the run is removed.
    assert.ok(await store.runs.transition(runId, { from: ['running'], to: 'failed', now: Date.now() }));
    await sweep();
    assert.ok((await pins()).every((count) => count <= 1));
    clock.advance(31 * 86_400_000);
    const recorder = { release: async () => {} };
    await using retention = startRetention({
      store,
      blobStore,
      recorder,
      clock,
      logger,
      maxAgeDays: 30,
      startDelayMs: 0,
    });
    await retention.first;
    assert.deepEqual(await pins(), [0, 0, 0]);
    assert.equal(await store.runs.get(runId), undefined);
  },
);

async function refsIn(root: string): Promise<readonly BlobRef[]> {
  const names = await readdir(join(root, 'blobs'), { recursive: true });
  return [...new Set(names.flatMap((name) => /blob_[0-9a-f]{32}/.exec(name)?.[0] ?? []))];
}
