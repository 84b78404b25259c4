import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, expect, test } from 'vitest';
import { createHarness, freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `näme 😀 ${id}` }));
const lines = rows.map(({ id, name }) => `${id},${name}`).join('\r\n');
const pieces = '漢😀é-'.repeat(300_000);

const { run, pins, store } = createHarness(sandbox, [
  freeTool('rows', () => ({ rows })),
  freeTool('csv', () => lines),
  freeTool('pieces', () => pieces),
  freeTool('count', ({ table }) => ({ rows: (table as unknown as { rows: unknown[] }).rows.length }), {
    inputSchema: {
      type: 'object',
      properties: { table: { type: 'object', properties: { rows: { type: 'array' } }, required: ['rows'] } },
      required: ['table'],
    },
  }),
  freeTool(
    'lengths',
    ({ parts }) => ({ lengths: (parts as unknown as { text: string }[]).map(({ text }) => text.length) }),
    {
      inputSchema: {
        type: 'object',
        properties: { parts: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } } },
      },
    },
  ),
]);

const small = { maxScriptResultBytes: 1_000 };

test('a stored result up to maxScriptResultBytes is its value for the script', async () => {
  const result = await run(
    'const { rows } = await tools.rows(); return [rows.length, rows[1999].name, (await tools.csv()).length]',
  );
  expect(result.value).toEqual([2_000, 'näme 😀 1999', lines.length]);
  expect(result.callTrace[0]?.artifactRef).toBe(store.refs[0]);
  expect(await pins()).toBe(0);
});

test('the result of .safe has preview, ref and value of a stored result', async () => {
  const result = await run(
    'const r = await tools.rows.safe(); return { keys: Object.keys(r), preview: r.preview.length <= 1024, rows: r.value.rows.length }',
  );
  expect(result.value).toEqual({
    keys: ['status', 'text', 'artifactRef', 'preview', 'files'],
    preview: true,
    rows: 2_000,
  });
});

test('a larger result is a handle whose JSON is only the ref', async () => {
  const result = await run(
    'const table = await tools.rows(); return { table, keys: Object.keys(table), size: table.size, type: table.mediaType }',
    small,
  );
  expect(result.value).toEqual({
    table: { $artifact: store.refs.at(-1) },
    keys: ['$artifact'],
    size: Buffer.byteLength(JSON.stringify({ rows })),
    type: 'application/json',
  });
});

test('a handle is read as text, JSON, lines, slices and bytes', async () => {
  const result = await run(
    `
    const table = await tools.rows();
    const csv = await tools.csv();
    const all = [];
    for await (const line of csv.lines()) all.push(line);
    const bytes = await csv.bytes();
    return {
      json: (await table.json()).rows[3],
      text: (await csv.text()) === all.join('\\r\\n'),
      lines: [all.length, all[0], all[1999]],
      slice: await csv.slice(2, 6),
      bytes: [bytes.length, ...bytes.slice(0, 4)],
      part: [...(await csv.bytes(1, 2))],
      past: [await csv.slice(1e9, 5), (await csv.bytes(0, 0)).length],
    };
  `,
    small,
  );
  expect(result.value).toEqual({
    json: { id: 3, name: 'näme 😀 3' },
    text: true,
    lines: [2_000, '0,näme 😀 0', '1999,näme 😀 1999'],
    slice: 'näme ',
    bytes: [Buffer.byteLength(lines), ...Buffer.from(lines).subarray(0, 4)],
    part: [...Buffer.from(lines).subarray(1, 3)],
    past: ['', 0],
  });
  expect(await pins()).toBe(0);
});

test('text of several parts splits no character', async () => {
  const result = await run(
    'const a = await tools.pieces(); const t = await a.text(); let n = 0; for await (const line of a.lines()) n += line.length; return [t.length, n, t.includes("\\uFFFD")]',
    small,
  );
  expect(result.value).toEqual([pieces.length, pieces.length, false]);
});

test('a handle goes into another tool at any depth, and so does a ref written by hand', async () => {
  const result = await run(
    `
    const table = await tools.rows();
    const csv = await tools.csv();
    return [await tools.count({ table }), await tools.count({ table: { $artifact: table.ref } }), await tools.lengths({ parts: [{ text: csv }, { text: csv }] })];
  `,
    small,
  );
  expect(result.value).toEqual([{ rows: 2_000 }, { rows: 2_000 }, { lengths: [lines.length, lines.length] }]);
});

test('a script cannot read artifacts of another session', async () => {
  const foreign = await store.store('secret of others', {
    mediaType: 'text/plain',
    scope: { principal: 'other', sessionId: 'session' },
  });
  const result = await run(
    `
    const own = await tools.csv();
    // The script has the class, but not the details of the error.
    const forged = Object.create(Object.getPrototypeOf(own), { $artifact: { value: '${foreign}', enumerable: true } });
    const seen = [];
    try { seen.push(await forged.text()); } catch (error) { seen.push(error.name); }
    try { seen.push(await tools.count({ table: forged })); } catch (error) { seen.push(error.code); }
    return seen;
  `,
    small,
  );
  expect(result.value).toEqual(['TypeError', 'E_ARTIFACT_FORBIDDEN']);
});

test('a bad range is a TypeError of the script', async () => {
  const code =
    'const a = await tools.csv(); try { await a.slice(-1, 5) } catch (error) { return [error.name, error.message] }';
  expect((await run(code, small)).value).toEqual([
    'TypeError',
    'The offset and length of an artifact read must be 0 or more',
  ]);
});
