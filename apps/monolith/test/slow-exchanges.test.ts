import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';

/** Source of a state store that takes its time for an exchange, as a database does that other writers keep busy. */
const slowStore = `
import { createSqliteStateStore } from ${JSON.stringify(import.meta.resolve('@ravi/state-sqlite'))};
import { resolve } from 'node:path';
const create = async ({ file }, { baseDir }) => {
  const store = await createSqliteStateStore({ file: resolve(baseDir, file) });
  const { exchanges } = store;
  const append = async (...parts) => {
    await new Promise((done) => setTimeout(done, 1_000));
    return exchanges.append(...parts);
  };
  return { ...store, exchanges: { ...exchanges, append } };
};
const configSchema = { type: 'object', properties: { file: { type: 'string' } } };
export default { name: 'slow-state', port: 'stateStore', configSchema, create };
`;

/** Source of a model that calls a tool once and then answers. */
const model = `
async function* stream({ messages }) {
  const isFirst = messages.length === 1;
  yield { type: 'block', block: isFirst
    ? { type: 'tool_use', id: 'call_1', name: 'count', arguments: {} }
    : { type: 'text', text: 'done' } };
  yield { type: 'finish', reason: isFirst ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const tool = `export default {
  name: 'count', description: 'Counts.', risk: 'safe', inputSchema: { type: 'object' },
  execute: () => ({ content: [{ type: 'text', text: '1' }], isError: false }),
};`;

/** Source of a state store that loses the first attempt to store an exchange, and the reply of the second one. */
const failingStore = `
import { KernelError } from ${JSON.stringify(import.meta.resolve('@ravi/kernel'))};
import { createSqliteStateStore } from ${JSON.stringify(import.meta.resolve('@ravi/state-sqlite'))};
import { resolve } from 'node:path';
const create = async ({ file }, { baseDir }) => {
  const store = await createSqliteStateStore({ file: resolve(baseDir, file) });
  const { exchanges } = store;
  let attempts = 0;
  const append = async (...parts) => {
    const attempt = ++attempts;
    if (attempt !== 1) await exchanges.append(...parts);
    if (attempt <= 2) throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone', { retryable: true });
  };
  return { ...store, exchanges: { ...exchanges, append } };
};
const configSchema = { type: 'object', properties: { file: { type: 'string' } } };
export default { name: 'failing-state', port: 'stateStore', configSchema, create };
`;

/** Runs the agent on a state store, and returns the steps of the exchanges that the run has. */
async function stepsOn(storeSource: string): Promise<readonly number[]> {
  const stateStore = { use: './test-store.mjs', file: './data/state.db' };
  const config = { plugins: { stateStore, modelProvider: [{ use: './model.mjs' }] } };
  const files = { 'test-store.mjs': storeSource, 'model.mjs': model, 'tools/count.mjs': tool };
  await using server = await startServer(config, files, { isServer: true });
  const { body: run } = await server.post('/v1/runs', { kind: 'agent', task: 'go' });
  for await (const _ of readEvents(await fetch(`${server.url}/v1/runs/${run.id}/events`)));
  assert.equal((await server.get(`/v1/runs/${run.id}`)).body.status, 'completed');
  const { items } = (await server.get(`/v1/runs/${run.id}/exchanges`)).body;
  return items.map(({ step }: { readonly step: number }) => step);
}

test('a run that ends while its last exchange is being stored keeps that exchange', async () => {
  assert.deepEqual(await stepsOn(slowStore), [1, 2]);
});

test('an exchange is stored once although the store was unavailable, or its reply was lost', async () => {
  assert.deepEqual(await stepsOn(failingStore), [1, 2]);
});
