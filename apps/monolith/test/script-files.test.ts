import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { afterAll, beforeAll, test } from 'vitest';
import { callingModel, task } from './support/sub-agents.ts';
import { start, untilStatus } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

/** A model that makes the calls of its task, and ends with the types and names of the media that it has seen. */
const seeingModel = `
import { provider as calling } from './model.mjs';
async function* stream(request, options) {
  const blocks = request.messages.flatMap(({ content }) => content);
  const parts = blocks.flatMap((block) => (block.type === 'tool_result' ? block.content : [block]));
  const seen = parts.filter(({ type }) => type === 'image' || type === 'document');
  for await (const event of calling.stream(request, options)) {
    const isText = event.type === 'block' && event.block.type === 'text';
    const text = JSON.stringify(seen.map(({ type, mediaType, name }) => [type, mediaType, name]));
    yield isText ? { type: 'block', block: { type: 'text', text } } : event;
  }
}
const create = () => ({ id: 'seeing', stream });
export default { name: 'seeing', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

let server: TestServer;
beforeAll(async () => {
  const config: RaviConfig = {
    plugins: {
      sandbox: [{ use: '@ravi/sandbox-isolated-vm' }, { use: '@ravi/sandbox-pyodide' }],
      stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
      modelProvider: [{ use: './seeing.mjs' }],
    },
  };
  server = await startServer(config, { 'seeing.mjs': seeingModel, 'model.mjs': callingModel });
}, 60_000);
afterAll(() => server[Symbol.asyncDispose]());

const name = '../\u202EÜbersicht "2026".csv';
const safe = 'Übersicht _2026_.csv';

test.each([
  ['javascript', `return { files: [await artifacts.put('a,b', { name: ${JSON.stringify(name)} })] }`],
  ['python', `return {"files": [artifacts.put("a,b", name=${JSON.stringify(name)})]}`],
  ['python', `file = await artifacts.put("a,b", name=${JSON.stringify(name)})\nreturn {"files": [file]}`],
])('a file of a script in %s has a name, a run and a safe download', { timeout: 60_000 }, async (language, code) => {
  const { body } = await server.post('/v1/chains', { code, language });
  const { runId, outputText } = body;
  const [file] = body.files ?? [];
  assert.deepEqual([file?.path, file?.name], [`/workspace/out/${safe}`, safe], outputText);
  const { body: artifact } = await server.get(`/v1/artifacts/${file.artifactRef}`);
  assert.deepEqual(
    [artifact.name, artifact.fileName, artifact.runId, artifact.mediaType, artifact.tool],
    [safe, safe, runId, 'text/csv', undefined],
  );
  const { body: run } = await server.get(`/v1/runs/${runId}`);
  assert.deepEqual(
    run.artifacts.map(({ fileName }: { fileName: string }) => fileName),
    [safe],
  );
  const { body: page } = await server.get(`/v1/artifacts?runId=${runId}`);
  assert.equal(page.items[0].fileName, safe);
  const content = await fetch(`${server.url}/v1/artifacts/${file.artifactRef}/content`);
  assert.equal(await content.text(), 'a,b');
  assert.equal(
    content.headers.get('content-disposition'),
    `attachment; filename="_bersicht _2026_.csv"; filename*=UTF-8''%C3%9Cbersicht%20_2026_.csv`,
  );
});

test('an agent sees the pictures that its script returns, by their names, and no others', async () => {
  const code = `
    const put = (name) => artifacts.put(new Uint8Array([137, 80, 78, 71]), { name });
    await put('draft.png');
    const notes = await artifacts.put('seen by no model', { name: 'notes.txt' });
    return { files: [await put('chart.png'), notes] };`;
  const runId = await start(server.url, task([['tool_chain', { code }]]));
  const run = await untilStatus(server.url, runId, 'completed');
  assert.equal(run.outcome.result.text, '[["image","image/png","chart.png"]]');
  assert.deepEqual(
    run.artifacts.map((artifact: { fileName: string; runId: string }) => [artifact.fileName, artifact.runId === runId]),
    [
      ['draft.png', true],
      ['notes.txt', true],
      ['chart.png', true],
    ],
  );
});

test('the policy of a script limits its files, and an upload keeps its name', async () => {
  const code = `for (let n = 0; n < 3; n++) await artifacts.put('x', { name: 'x.txt' })`;
  const { body } = await server.chain(code, { maxScriptFiles: 2 });
  assert.deepEqual([body.status, body.error?.code, body.files?.length], ['error', 'E_LIMIT_FILES', 2]);
  const { body: wrong } = await server.chain(code, { maxScriptFileBytes: 0 });
  assert.equal(wrong.error?.code, 'E_REQUEST_INVALID', JSON.stringify(wrong));
  const response = await fetch(`${server.url}/v1/artifacts?name=${encodeURIComponent('a/b/CON.txt')}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  });
  const { fileName, name: given } = (await response.json()) as { readonly fileName: string; readonly name: string };
  assert.deepEqual([response.status, fileName, given], [201, '_CON.txt', 'a/b/CON.txt']);
});

test('the result of a tool is named after the tool', async () => {
  const { body } = await server.post('/v1/tools/echo', { args: { text: 'x'.repeat(10_000) } });
  const { body: artifact } = await server.get(`/v1/artifacts/${body.artifactRef}`);
  assert.equal(artifact.tool, 'echo', JSON.stringify([body, artifact]));
  assert.match(artifact.fileName, /^echo-[\w-]{8}\.json$/);
});
