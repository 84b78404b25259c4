import assert from 'node:assert/strict';
import { createFsBlobStore } from '@ravi/blob-fs';
import type { BlobRef } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { startRetention } from '../src/maintenance/retention.ts';
import { createAbandonedPins } from '../src/maintenance/abandoned-pins.ts';
import { createInstallation } from './support/installation.ts';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { startBundled } from './support/server-process.ts';

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
    using first = startBundled(folder);
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

const killedRuns = 90;

/** Source of a tool that ends its process when 90 runs are in it, unless the file "calm" exists. */
const sharedEnd = `
import { existsSync } from 'node:fs';
let inside = 0;
export default { name: 'deadly', description: 'A test.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() {
    if (!existsSync(new URL('../calm', import.meta.url))) {
      inside += 1;
      if (inside === ${killedRuns}) process.kill(process.pid, 'SIGKILL');
      await new Promise(() => {});
    }
    return { content: [{ type: 'text', text: 'x'.repeat(10_000) }], isError: false };
  } };`;

test(
  '90 runs of agents that were killed at once leave no pin after they have ended',
  { timeout: 300_000 },
  async () => {
    await using installation = await createInstallation(
      { plugins: { modelProvider: [{ use: './model.mjs' }] } },
      {
        'model.mjs': model,
        'tools/large.mjs': tool('large', '').replace('200_000', '10_000'),
        'tools/deadly.mjs': sharedEnd,
      },
    );
    const { folder } = installation;
    using first = startBundled(folder);
    const url = await first.url();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ kind: 'agent', task: 'go' });
    // The process dies while later responses are on their way.
    const start = (): Promise<unknown> =>
      fetch(`${url}/v1/runs`, { method: 'POST', headers, body }).catch(() => undefined);
    await Promise.all(Array.from({ length: killedRuns }, start));
    await first.exit;
    const blobs = join(folder, 'data/blobs');
    const clock = createFakeClock();
    const logger = createMemoryLogger();
    const blobStore = createFsBlobStore({ root: blobs, clock });
    const pinsOf = async (refs: readonly BlobRef[]): Promise<readonly number[]> =>
      Promise.all(refs.map(async (ref) => (await blobStore.stat(ref))?.pins ?? 0));
    const held = await pinsOf(await refsIn(blobs));
    assert.ok(held.filter((pins) => pins > 0).length >= killedRuns, String(held));

    // Another process ends the runs.
    await writeFile(join(folder, 'calm'), '');
    using second = startBundled(folder);
    const again = await second.url();
    for (let isLive = true; isLive;) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const lists = ['running', 'paused'].map(async (status) => {
        const { items } = (await (await fetch(`${again}/v1/runs?status=${status}`)).json()) as { items: unknown[] };
        return items.length;
      });
      isLive = (await Promise.all(lists)).some((count) => count > 0);
    }
    second.child.kill('SIGTERM');
    await second.exit;

    await using store = await createSqliteStateStore({ file: `${folder}/data/state.db` });
    const { items: runs } = await store.runs.list({}, { limit: 1_000 });
    assert.equal(runs.length, killedRuns);
    clock.advance(Date.now() + 120_000 - clock.now());
    await blobStore.sweep(clock.now(), createAbandonedPins({ runs: store.runs, clock, logger }));
    // What the runs keep for their pages has one pin.
    const kept = await pinsOf(await refsIn(blobs));
    assert.ok(kept.length >= killedRuns && kept.every((pins) => pins <= 1), String(kept));
    clock.advance(31 * 86_400_000);
    const recorder = { release: async () => {} };
    const options = { store, blobStore, recorder, clock, logger, maxAgeDays: 30, startDelayMs: 0 };
    await using retention = startRetention(options);
    await retention.first;
    await blobStore.sweep(clock.now());
    assert.deepEqual(await refsIn(blobs), []);
  },
);

async function refsIn(root: string): Promise<readonly BlobRef[]> {
  const names = await readdir(join(root, 'blobs'), { recursive: true });
  return [...new Set(names.flatMap((name) => /blob_[0-9a-f]{32}/.exec(name)?.[0] ?? []))];
}
