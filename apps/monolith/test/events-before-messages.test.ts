import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';

/**
 * Source of a state store that takes its time for events, as a database does that other writers keep busy. For each stored message it writes
 * to a file the calls whose results the message has, and whether their ends are stored by then.
 */
const watchedStore = `
import { appendFile } from 'node:fs/promises';
import { createSqliteStateStore } from ${JSON.stringify(import.meta.resolve('@ravi/state-sqlite'))};
import { resolve } from 'node:path';
const create = async ({ file }, { baseDir }) => {
  const store = await createSqliteStateStore({ file: resolve(baseDir, file) });
  const slow = async (...parts) => {
    await new Promise((done) => setTimeout(done, 200));
    return store.events.append(...parts);
  };
  const watched = async (entries, ...parts) => {
    for (const { runId, message } of entries) {
      const ended = new Set();
      for (const { type, data } of (await store.events.list(runId, { limit: 1_000 })).items) {
        if (type === 'tool-result') ended.add(data.callId);
      }
      for (const block of message.content) {
        if (block.type !== 'tool_result') continue;
        await appendFile(resolve(baseDir, 'results.txt'), block.toolUseId + ' ' + ended.has(block.toolUseId) + '\\n');
      }
    }
    return store.history.append(entries, ...parts);
  };
  return { ...store, events: { ...store.events, append: slow }, history: { ...store.history, append: watched } };
};
const configSchema = { type: 'object', properties: { file: { type: 'string' } } };
export default { name: 'watched-state', port: 'stateStore', configSchema, create };
`;

/** Source of a model that calls a tool twice in each of two steps and then answers. */
const model = `
async function* stream({ messages }) {
  const step = messages.filter(({ role }) => role === 'assistant').length;
  const calls = step < 2 ? ['a', 'b'] : [];
  for (const id of calls) yield { type: 'block', block: { type: 'tool_use', id: id + step, name: 'count', arguments: {} } };
  if (calls.length === 0) yield { type: 'block', block: { type: 'text', text: 'done' } };
  const reason = calls.length > 0 ? 'tool-use' : 'end';
  yield { type: 'finish', reason, usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const tool = `export default {
  name: 'count', description: 'Counts.', risk: 'safe', inputSchema: { type: 'object' },
  execute: () => ({ content: [{ type: 'text', text: '1' }], isError: false }),
};`;

test('the end of a call is stored before the message with its result', async () => {
  const stateStore = { use: './watched-store.mjs', file: './data/state.db' };
  const config = { plugins: { stateStore, modelProvider: [{ use: './model.mjs' }] } };
  const files = { 'watched-store.mjs': watchedStore, 'model.mjs': model, 'tools/count.mjs': tool };
  await using server = await startServer(config, files, { isServer: true });
  const { body: run } = await server.post('/v1/runs', { kind: 'agent', task: 'go' });
  for await (const _ of readEvents(await fetch(`${server.url}/v1/runs/${run.id}/events`)));
  assert.equal((await server.get(`/v1/runs/${run.id}`)).body.status, 'completed');
  const results = await readFile(join(server.installation.folder, 'results.txt'), 'utf8');
  assert.deepEqual(results.trim().split('\n'), ['a0 true', 'b0 true', 'a1 true', 'b1 true']);
});
