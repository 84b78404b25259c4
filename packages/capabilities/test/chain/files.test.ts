import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { JsonObject } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, expect, test } from 'vitest';
import { createToolChainTool, runChain } from '../../src/index.ts';
import { freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

const photo = freeTool('photo', ({ byte = 7, rows }) => ({
  content: [
    { type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array([byte as number, 2, 3]) } },
  ],
  ...(rows === undefined ? {} : { structuredContent: rows as JsonObject }),
  isError: false,
}));

function createStudio() {
  const toolbox = new Toolbox([
    photo,
    freeTool('measure', ({ of }) => `${(of as unknown as Uint8Array).length} bytes`),
  ]);
  const invoker = new ToolInvoker({ registry: toolbox, artifactStore: createMemoryBlobStore() });
  toolbox.add(createToolChainTool({ invoker, sandbox }));
  return invoker;
}

const path = '/workspace/media/call_1-photo-0.png';
const readIt = `const image = await file('${path}'); return [image.path, image.size, Array.from(await image.bytes())]`;

test('a script opens a file that one of its calls returned, also one returned with a value', async () => {
  const invoker = createStudio();
  const code = `const rows = await tools.photo({ byte: 9, rows: { count: 1 } }); const image = await file('${path}');
    return [rows, Array.from(await image.bytes()), await tools.measure({ of: image })]`;
  const { value, outputText } = await runChain({ code, invoker, sandbox });
  expect(value, outputText).toEqual([{ count: 1 }, [9, 2, 3], '3 bytes']);
});

test('a script opens files of earlier calls of the model and of earlier scripts of the run', async () => {
  const invoker = createStudio();
  await using session = invoker.openSession();
  await invoker.invoke({ name: 'photo', args: {} }, { session });
  const earlier = await invoker.invoke({ name: 'tool_chain', args: { code: 'await tools.photo()' } }, { session });
  expect(earlier.status, earlier.text).toBe('ok');
  expect(session.files.map((file) => file.path)).toEqual([path, '/workspace/media/call_2.call_1-photo-0.png']);
  for (const { path: place } of session.files) {
    const code = readIt.replace(path, place);
    const { structured, text } = await invoker.invoke({ name: 'tool_chain', args: { code } }, { session });
    expect(structured ?? JSON.parse(text)).toEqual([place, 3, [7, 2, 3]]);
  }
});

test('a later run of the session receives the files that its host passes on', async () => {
  const invoker = createStudio();
  const earlier = invoker.openSession({ sessionId: 'trip' });
  const { files } = await invoker.invoke({ name: 'photo', args: {} }, { session: earlier });
  const session = { sessionId: 'trip', files };
  expect((await runChain({ code: readIt, invoker, sandbox, session })).value).toEqual([path, 3, [7, 2, 3]]);
  const { error } = await runChain({ code: readIt, invoker, sandbox, session: { sessionId: 'another', files } });
  expect(error).toMatchObject({ code: 'E_ARTIFACT_FORBIDDEN', line: 1 });
  await earlier.close();
});

test('an unknown path is an error that lists the existing files', async () => {
  const invoker = createStudio();
  const code = `await tools.photo(); return file('/workspace/media/none.png')`;
  const { error } = await runChain({ code, invoker, sandbox });
  expect(error).toMatchObject({
    code: 'E_BLOB_NOT_FOUND',
    message: `Error: There is no file /workspace/media/none.png; the files are ${path}`,
  });
  const none = await runChain({ code: 'return file("x")', invoker, sandbox });
  expect(none.error?.message).toBe('Error: There is no file x; no call has produced a file');
});

test('unrelated runs do not see each other’s files', async () => {
  const invoker = createStudio();
  await runChain({ code: 'await tools.photo()', invoker, sandbox });
  expect((await runChain({ code: readIt, invoker, sandbox })).error?.code).toBe('E_BLOB_NOT_FOUND');
});
