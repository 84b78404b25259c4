import assert from 'node:assert/strict';
import { test, vi } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';

/** Source of a state store with these changes. */
const storeWith = (changes: string): string => `
import { createSqliteStateStore } from ${JSON.stringify(import.meta.resolve('@ravi/state-sqlite'))};
import { resolve } from 'node:path';
const create = async ({ file }, { baseDir }) => {
  const store = await createSqliteStateStore({ file: resolve(baseDir, file) });
  let isTaken = false;
  ${changes}
};
const configSchema = { type: 'object', properties: { file: { type: 'string' } } };
export default { name: 'taken-state', port: 'stateStore', configSchema, create };
`;

// Another process takes the run over just before the first answer is stored, as it does from a frozen process, and ends at once.
const storeWithTakeover = storeWith(`
  const append = async (entries, ...parts) => {
    const [{ runId, message }] = entries;
    if (!isTaken && JSON.stringify(message).includes('"blue"')) {
      isTaken = true;
      for (const { id } of (await store.processes.list()).items) await store.processes.remove(id);
      await store.runs.claim(runId, { owner: 'other' });
    }
    return store.history.append(entries, ...parts);
  };
  return { ...store, history: { ...store.history, append } };`);

// Another process claims the paused run just before this one does, and ends at once.
const storeWithRival = storeWith(`
  const claim = async (id, ...parts) => {
    if (!isTaken && (await store.runs.get(id))?.status === 'paused') {
      isTaken = true;
      await store.processes.register({ id: 'other', deadAfterMs: 500 });
      await store.runs.claim(id, { owner: 'other' });
    }
    return store.runs.claim(id, ...parts);
  };
  return { ...store, runs: { ...store.runs, claim } };`);

/** Source of a model that asks the user once and then repeats the answer. */
const model = `
async function* stream({ messages }) {
  const result = messages.at(-1).content.find(({ type }) => type === 'tool_result');
  yield { type: 'block', block: result === undefined
    ? { type: 'tool_use', id: 'call_1', name: 'ask_user', arguments: { question: 'Which color?' } }
    : { type: 'text', text: JSON.stringify(result.content) } };
  const reason = result === undefined ? 'tool-use' : 'end';
  yield { type: 'finish', reason, usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'asking', stream });
export default { name: 'asking', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const askUser = `export { askUserTool as default } from ${JSON.stringify(import.meta.resolve('@ravi/agents'))};`;

/** Answers the question of a new run; returns the refusal of the first answer, and repeats the answer until it is stored. */
async function answerTwice(store: string) {
  const stateStore = { use: './store.mjs', file: './data/state.db' };
  const config = { plugins: { stateStore, modelProvider: [{ use: './model.mjs' }] } };
  const files = { 'store.mjs': store, 'model.mjs': model, 'tools/ask.mjs': askUser };
  await using server = await startServer(config, files, { isServer: true });
  const { body: run } = await server.post('/v1/runs', { kind: 'agent', task: 'go' });
  const answer = async () => {
    await vi.waitFor(
      async () => assert.equal((await server.get(`/v1/runs/${run.id}`)).body.status, 'paused'),
      patience,
    );
    return server.post(`/v1/runs/${run.id}/resume`, { answer: 'blue' });
  };
  const lost = await answer();
  await vi.waitFor(async () => assert.equal((await answer()).status, 200), patience);
  const response = await fetch(`${server.url}/v1/runs/${run.id}/events`);
  const texts: string[] = [];
  for await (const { event, data } of readEvents(response)) if (event === 'model-text') texts.push(data);
  assert.match(texts.join(), /blue/);
  assert.equal((await server.get(`/v1/runs/${run.id}`)).body.status, 'completed');
  return { status: lost.status, ...lost.body.error, namesRun: lost.body.runId === run.id };
}

const patience = { timeout: 30_000, interval: 50 };

test('an answer is acknowledged only if it is stored', async () => {
  const { status, code, message, namesRun } = await answerTwice(storeWithTakeover);
  assert.deepEqual([status, code, namesRun], [503, 'E_RUN_SUSPENDED', true], message);
  assert.match(message, /^The answer is not stored: send it again/);
});

test('an answer to a run that another process has just claimed is refused', async () => {
  const { status, code, message } = await answerTwice(storeWithRival);
  assert.deepEqual([status, code], [409, 'E_STATE_CONFLICT'], message);
  assert.match(message, /^The answer is not stored/);
});
