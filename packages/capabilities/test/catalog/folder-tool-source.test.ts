import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ToolSource, ToolSourceContent } from '@ravi/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderToolSource } from '../../src/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ravi-tools-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const toolText = (name: string): string =>
  `{ name: '${name}', description: '', inputSchema: {}, execute: async () => ({ content: [], isError: false }) }`;

async function load(source: ToolSource, signal = new AbortController().signal): Promise<ToolSourceContent> {
  await using opened = await source.open({ signal, onChange() {} });
  return opened.content();
}

test('every file of a folder that exports a tool or a list of tools is found, sorted by name', async () => {
  write({
    'b.js': `export default ${toolText('b')}`,
    'a.mjs': `export default [${toolText('a1')}, ${toolText('a2')}]`,
    'c.ts': `const tool: { name: string } = ${toolText('c')};\nexport default tool;`,
    'nested/tool.js': `export default ${toolText('nested')}`,
  });
  const { tools, failures } = await load(createFolderToolSource(folder));
  expect(tools.map(({ name }) => name)).toEqual(['a1', 'a2', 'b', 'c', 'nested']);
  expect(failures).toEqual([]);
});

test('other files are not loaded', async () => {
  const bad = 'throw new Error("loaded")';
  write({
    '_helper.js': bad,
    '.hidden.js': bad,
    'a.test.js': bad,
    'a.spec.ts': bad,
    'a.d.ts': bad,
    'notes.md': bad,
    'data.json': bad,
    'nested/other.js': bad,
    '_nested/tool.js': bad,
    'node_modules/tool.js': bad,
  });
  expect(await load(createFolderToolSource(folder))).toEqual({ tools: [], failures: [] });
});

test('a file that does not load is reported by name, and the others load', async () => {
  write({
    'broken.js': 'export default {',
    'empty.js': '',
    'missing.js': 'import "./nowhere.js"; export default 1',
    'mixed.js': `export default [${toolText('good')}, { name: 'no_execute', description: '' }, 5, null]`,
    'named.js': `export default ${toolText('not a name')}`,
    'odd.js': 'throw "text"',
    'text.js': 'export default "text"',
    'throws.js': 'throw new Error("no key")',
  });
  const { tools, failures } = await load(createFolderToolSource(folder));
  expect(tools.map(({ name }) => name)).toEqual(['good']);
  expect(failures.map(({ from }) => from)).toEqual([
    'broken.js',
    'empty.js',
    'missing.js',
    'mixed.js',
    'mixed.js',
    'mixed.js',
    'named.js',
    'odd.js',
    'text.js',
    'throws.js',
  ]);
  expect(failures.find(({ from }) => from === 'throws.js')?.message).toBe('Error: no key');
  expect(failures.find(({ from }) => from === 'empty.js')?.message).toContain('no default export');
  expect(failures.find(({ from }) => from === 'named.js')?.message).toContain('"not a name"');
});

test('a tool with a getter that throws is reported by name, and does not hide others', async () => {
  const getter = "{ get name() { throw new Error('getter'); }, description: 'x', execute() {} }";
  write({
    'alone.js': `export default ${getter}`,
    'among.js': `export default [${toolText('before')}, ${getter}, ${toolText('after')}]`,
    'list.js': "export default new Proxy([], { get() { throw new Error('proxy'); } })",
    'other.js': `export default ${toolText('other')}`,
  });
  const { tools, failures } = await load(createFolderToolSource(folder));
  expect(tools.map(({ name }) => name)).toEqual(['before', 'after', 'other']);
  expect(failures.map(({ from }) => from)).toEqual(['alone.js', 'among.js', 'list.js']);
  expect(failures[0]?.message).toContain('Error: getter');
});

test('a file may throw anything while it loads: it is reported by name, at most 2,000 characters, and the others load', async () => {
  write({
    'getters.js': 'throw { toString() { throw 2; } };',
    'long.js': "throw new Error('x'.repeat(1_000_000));",
    'nothing.js': 'throw undefined;',
    'other.js': `export default ${toolText('other')}`,
    'proxy.js': "throw new Proxy(new SyntaxError('x'), { get() { throw new Error('trap'); } });",
  });
  const { tools, failures } = await load(createFolderToolSource(folder));
  expect(tools.map(({ name }) => name)).toEqual(['other']);
  expect(failures.map(({ from }) => from)).toEqual(['getters.js', 'long.js', 'nothing.js', 'proxy.js']);
  expect(failures.map(({ message }) => message.length).every((length) => length < 2_100)).toBe(true);
  expect(failures[0]?.message).toBe('throws a value that cannot be read');
  // Node reads the message of what a module throws, and its getter throws this.
  expect(failures[3]?.message).toBe('Error: trap');
});

test('a missing folder is a configuration error', async () => {
  const source = createFolderToolSource(join(folder, 'nowhere'));
  await expect(load(source)).rejects.toMatchObject({
    code: 'E_CONFIG_INVALID',
    message: expect.stringContaining('nowhere'),
  });
});

test('loading can be cancelled', async () => {
  write({ 'a.js': `export default ${toolText('a')}` });
  await expect(load(createFolderToolSource(folder), AbortSignal.abort())).rejects.toMatchObject({
    code: 'E_CANCELLED',
  });
});

test('a reload for files that do not load keeps every other tool as it is', async () => {
  write({ 'a.mjs': `export default ${toolText('a')}`, 'b.mjs': `export default ${toolText('b')}` });
  const source = createFolderToolSource(folder);
  await using opened = await source.open({ signal: new AbortController().signal, onChange() {} });
  const { tools: before } = opened.content();
  const reload = async (): Promise<ToolSourceContent> => {
    await opened.reload?.();
    return opened.content();
  };
  write({ 'new.mjs': 'export default { name: }' });
  let content = await reload();
  expect(content.failures.map(({ from }) => from)).toEqual(['new.mjs']);
  expect(content.tools.every((tool, index) => tool === before[index])).toBe(true);
  write({ 'b.mjs': 'throw new Error("broken")' });
  content = await reload();
  expect(content.failures.map(({ from }) => from)).toEqual(['b.mjs', 'new.mjs']);
  expect(content.tools.every((tool, index) => tool === before[index])).toBe(true);
  rmSync(join(folder, 'new.mjs'));
  content = await reload();
  expect(content.tools.every((tool, index) => tool === before[index])).toBe(true);
  write({ 'b.mjs': `export default ${toolText('c')}` });
  content = await reload();
  expect([content.failures, content.tools.map(({ name }) => name)]).toEqual([[], ['a', 'c']]);
});

test('a file that ends the process while it loads is reported, and the process continues', async () => {
  write({ 'a.mjs': `export default ${toolText('a')}`, 'program.mjs': 'process.exit(3)' });
  const { exit } = process;
  const { tools, failures } = await load(createFolderToolSource(folder));
  expect(tools.map(({ name }) => name)).toEqual(['a']);
  expect(failures).toEqual([{ from: 'program.mjs', message: 'Error: calls process.exit(3) while it loads' }]);
  expect(process.exit).toBe(exit);
});

test('a syntax error in JavaScript is reported with its file and line', () => {
  write({ 'broken.mjs': 'export default [\n  { name: 1 oops },\n];\n' });
  // In a process of its own: the test runner replaces the errors of imports.
  const program = `
    import { createFolderToolSource } from ${JSON.stringify(import.meta.resolve('../../src/index.ts'))};
    const source = createFolderToolSource(${JSON.stringify(folder)});
    const opened = await source.open({ signal: new AbortController().signal, onChange() {} });
    const { failures } = opened.content();
    console.log(failures[0]?.message);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module'], { input: program, encoding: 'utf8' });
  expect(stdout).toBe(`SyntaxError: Unexpected identifier 'oops' (${join(folder, 'broken.mjs')}:2:13)\n`);
});
