import assert from 'node:assert/strict';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { ChainPolicy, ChainRunResult, JsonObject, SandboxLanguage } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { composeSandboxes } from '@ravi/support';
import { afterAll, test } from 'vitest';
import { createToolChainTool, runChain } from '../../src/index.ts';
import { freeTool } from './harness.ts';

const javascript = createIsolatedVmSandbox();
const python = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
const sandbox = composeSandboxes([javascript, python]);
afterAll(() => Promise.all([javascript[Symbol.asyncDispose](), python[Symbol.asyncDispose]()]));

const store = createMemoryBlobStore();
const toolbox = new Toolbox([freeTool('measure', ({ of }) => `${(of as string).length} characters`)]);
const invoker = new ToolInvoker({ registry: toolbox, artifactStore: store });
toolbox.add(createToolChainTool({ invoker, sandbox }));

const session = { principal: 'ada', sessionId: 'trip', runId: 'run-1' };

function run(
  code: string,
  language: SandboxLanguage = 'javascript',
  policy: Partial<ChainPolicy> = {},
): Promise<ChainRunResult> {
  return runChain({ code, language, invoker, sandbox, policy, session });
}

const texts = {
  javascript: `const file = await artifacts.put('a,b\\n1,ü', { name: '../Übersicht.csv' });
    return [file.path, file.name, file.mediaType, file.size, await file.text(), await tools.measure({ of: file })]`,
  python: `file = artifacts.put('a,b\\n1,ü', name='../Übersicht.csv')
return [file.place, file.name, file.media_type, file.size, file.text(), str(tools.measure(of=file))]`,
};

test.each(['javascript', 'python'] as const)(
  'a script in %s keeps text as a file and passes it on',
  async (language) => {
    const { value, files, outputText } = await run(texts[language], language);
    const place = '/workspace/out/Übersicht.csv';
    assert.deepEqual(value, [place, 'Übersicht.csv', 'text/csv', 8, 'a,b\n1,ü', '7 characters'], outputText);
    const [file] = files ?? [];
    assert.equal(file?.path, place);
    const stat = await store.stat(file?.artifactRef ?? '');
    assert.deepEqual([stat?.name, stat?.runId, stat?.mediaType], ['Übersicht.csv', 'run-1', 'text/csv']);
  },
);

const values = {
  javascript: `const all = [];
    for (let length = 0; length < 8; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => 250 + index);
      const file = await artifacts.put(bytes, { name: 'part.bin' });
      all.push([file.path.slice(15), Array.from(await file.bytes())]);
    }
    const view = new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2);
    all.push(Array.from(await (await artifacts.put(view, { name: 'view' })).bytes()));
    all.push(Array.from(await (await artifacts.put(new Uint8Array([5]).buffer, { name: 'buffer' })).bytes()));
    const json = await artifacts.put({ rows: [1, null] }, { name: 'rows' });
    all.push([json.mediaType, await json.json()]);
    return all`,
  python: `all = []
for length in range(8):
    data = bytes((250 + index) % 256 for index in range(length))
    file = artifacts.put(data, name='part.bin')
    all.append([file.place[15:], list(file.bytes())])
all.append(list(artifacts.put(memoryview(b'\\x02\\x03'), name='view').bytes()))
all.append(list(artifacts.put(bytearray([5]), name='buffer').bytes()))
rows = artifacts.put({"rows": [1, None]}, name='rows')
all.append([rows.media_type, rows.json()])
return all`,
};

test.each(['javascript', 'python'] as const)(
  'a script in %s keeps bytes and values unchanged, also under one name',
  async (language) => {
    const { value, outputText } = await run(values[language], language);
    const parts = Array.from({ length: 8 }, (_, length) => [
      length === 0 ? 'part.bin' : `part-${length + 1}.bin`,
      Array.from({ length }, (__, index) => (250 + index) % 256),
    ]);
    assert.deepEqual(value, [...parts, [2, 3], [5], ['application/json', { rows: [1, null] }]], outputText);
  },
);

const pictures = {
  javascript: `const file = await artifacts.put(new Uint8Array([137, 80, 78, 71]), { name: 'chart.png' });
    await artifacts.put('notes', { name: 'notes.txt' });
    return { files: [file, { artifactRef: 'blob_of_another' }, 7] }`,
  python: `file = artifacts.put(bytes([137, 80, 78, 71]), name='chart.png')
artifacts.put('notes', name='notes.txt')
return {"files": [file, {"artifactRef": "blob_of_another"}, 7]}`,
};

test.each(['javascript', 'python'] as const)(
  'files that a script in %s returns are files of its call: the model sees pictures, and later scripts open them',
  async (language) => {
    await using outer = invoker.openSession({ ...session, runId: `run-${language}` });
    const { files, text } = await invoker.invoke(
      { name: 'tool_chain', args: { code: pictures[language], language } },
      { session: outer },
    );
    assert.deepEqual(
      files.map(({ path, mediaType, bytes, name }) => ({ path, mediaType, bytes, name })),
      [{ path: '/workspace/out/chart.png', mediaType: 'image/png', bytes: 4, name: 'chart.png' }],
      text,
    );
    // The model is given the reference of what was kept and not returned.
    assert.match(
      text,
      /Files that the script kept:\n- \/workspace\/out\/notes\.txt \(text\/plain, 5 bytes\): \{"\$artifact":"/,
    );
    const readBack = `return Array.from(await (await file('/workspace/out/chart.png')).bytes())`;
    const args = { code: readBack, language: 'javascript' };
    assert.equal((await invoker.invoke({ name: 'tool_chain', args }, { session: outer })).text, '[137,80,78,71]');
  },
);

const refused: readonly (readonly [what: string, code: string, expected: RegExp, policy: Partial<ChainPolicy>])[] = [
  ['no name', `await artifacts.put('x')`, /takes a name/, {}],
  ['a name of dots', `await artifacts.put('x', { name: '..' })`, /E_ARGUMENTS_INVALID.*other than dots/, {}],
  [
    'a false type',
    `await artifacts.put('x', { name: 'x', mediaType: 'x\\r\\ny/z' })`,
    /E_ARGUMENTS_INVALID.*type\/subtype/,
    {},
  ],
  ['a type that is not text', `await artifacts.put('x', { name: 'x', mediaType: 7 })`, /a media type as text/, {}],
  ['nothing', `await artifacts.put(undefined, { name: 'x' })`, /that JSON can represent/, {}],
  ['a promise', `await artifacts.put(Promise.resolve(1), { name: 'x' })`, /await the promise/, {}],
  ['an artifact', `await artifacts.put(await artifacts.put('x', { name: 'x' }), { name: 'x' })`, /stored already/, {}],
  [
    'too many',
    `for (let n = 0; n < 3; n++) await artifacts.put('x', { name: 'x' })`,
    /E_LIMIT_FILES.*at most 2 files \(maxScriptFiles\)/,
    { maxScriptFiles: 2 },
  ],
  [
    'too many at once',
    `await Promise.all([1, 2, 3].map(() => artifacts.put('x', { name: 'x' })))`,
    /E_LIMIT_FILES.*at most 2 files/,
    { maxScriptFiles: 2 },
  ],
  [
    'too much',
    `await artifacts.put('xxxx', { name: 'x' }); await artifacts.put('xxxx', { name: 'x' })`,
    /E_LIMIT_FILES.*have 7 bytes together \(maxScriptFileBytes\); it keeps 4, and this one has 4/,
    { maxScriptFileBytes: 7 },
  ],
  [
    'one that is too large',
    `await artifacts.put('x'.repeat(8388609), { name: 'x' })`,
    /E_LIMIT_FILES.*8388608 bytes; this one has 8388609/,
    {},
  ],
];

test.each(refused)('a file is refused with a clear error: %s', async (_, code, expected, policy) => {
  const { status, error } = await run(code.replace('artifacts', '(artifacts as any)'), 'javascript', policy);
  assert.equal(status, 'error');
  assert.match(`${error?.code} ${error?.message}`, expected);
});

test('the files of a script that fails are kept and named in its report', async () => {
  const { status, files, outputBlocks } = await run(
    `await artifacts.put('x', { name: 'x.txt' }); throw new Error('no')`,
  );
  assert.equal(status, 'error');
  assert.equal(files?.length, 1);
  assert.match(JSON.stringify(outputBlocks), /Files that the script kept/);
});

test('a script that changes the globals of its guest harms only itself', async () => {
  const { value, outputText } = await run(
    `JSON.stringify = () => '{}'; Object.prototype.mediaType = 'text/html'; Uint8Array = null; String.prototype.slice = null;
     const made = await artifacts.put(new Int8Array([1, 2]), { name: 'a.bin', mediaType: 'image/png' });
     return [made.mediaType, made.size]`,
    'javascript',
  );
  assert.deepEqual((value as unknown as JsonObject | undefined) ?? outputText, ['image/png', 2]);
});
