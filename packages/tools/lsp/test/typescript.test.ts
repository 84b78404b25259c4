import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLspFolder, typescriptCommand } from './support/lsp-folder.ts';
import type { LspFolder } from './support/lsp-folder.ts';

const files = {
  'tsconfig.json':
    '{ "compilerOptions": { "strict": true, "module": "nodenext", "noEmit": true, "allowImportingTsExtensions": true } }',
  'package.json': '{ "type": "module" }',
  'src/shop.ts': '/** Adds tax. */\nexport function withTax(price: number): number {\n  return price * 1.2;\n}\n',
  // The characters before the name are two UTF-16 code units each.
  'src/main.ts': "import { withTax } from './shop.ts';\n\nexport const total = ['😀😀', withTax(10)];\n",
};

const servers = { typescript: { command: typescriptCommand, extensions: ['.ts'] }, python: false } as const;
const open = (more: Readonly<Record<string, string>> = {}): Promise<LspFolder> =>
  createLspFolder({ servers }, { ...files, ...more });

test("TypeScript's server finds definitions, references, types and symbols", async () => {
  await using folder = await open();
  const definition = await folder.value('lsp_definition', { path: 'src/main.ts', symbol: 'withTax', line: 3 });
  expect(definition['definitions']).toMatchObject([
    { path: 'src/shop.ts', line: 2, column: 17, text: 'export function withTax(price: number): number {' },
  ]);
  // The same place by its column in characters, which is not its column in UTF-16.
  const byColumn = await folder.value('lsp_definition', { path: 'src/main.ts', line: 3, column: 29 });
  expect(byColumn).toEqual(definition);

  const { references } = await folder.value('lsp_references', { path: 'src/shop.ts', symbol: 'withTax' });
  expect(references).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: 'src/shop.ts', line: 2, column: 17 }),
      expect.objectContaining({ path: 'src/main.ts', line: 1, column: 10 }),
      expect.objectContaining({ path: 'src/main.ts', line: 3, column: 29, endColumn: 36 }),
    ]),
  );
  const hover = await folder.value('lsp_hover', { path: 'src/main.ts', symbol: 'withTax', line: 3 });
  expect(hover['text']).toContain('function withTax(price: number): number');
  expect(hover['text']).toContain('Adds tax.');
  const { symbols } = await folder.value('lsp_symbols', { path: 'src/shop.ts' });
  expect(symbols).toMatchObject([{ name: 'withTax', kind: 'function', path: 'src/shop.ts', line: 2, column: 17 }]);
  const found = await folder.value('lsp_symbols', { query: 'withTax' });
  expect(found['symbols']).toMatchObject([{ name: 'withTax', path: 'src/shop.ts' }]);
  // A definition in the library of TypeScript is outside.
  folder.write('src/main.ts', 'export const list = new Map();\n');
  const { definitions } = await folder.value('lsp_definition', { path: 'src/main.ts', symbol: 'Map' });
  expect(definitions).toContainEqual(expect.objectContaining({ outside: expect.stringMatching(/^lib\..*\.d\.ts$/) }));
  expect(JSON.stringify(definitions)).not.toContain(folder.base);
});

test('answers follow the files: an edit, a new file and a deleted one', async () => {
  await using folder = await open();
  expect(await folder.value('lsp_diagnostics', { path: 'src/main.ts' })).toEqual({ diagnostics: [], more: 0 });
  folder.write('src/main.ts', "import { withTax } from './shop.ts';\nexport const total: string = withTax(10);\n");
  const { result } = await folder.call('lsp_diagnostics', { path: 'src/main.ts' });
  expect(result.structured).toMatchObject({ diagnostics: [{ line: 2, column: 14, severity: 'error', code: '2322' }] });
  expect(result.text).toMatch(/^src\/main\.ts:2:14 error 2322: Type 'number' is not assignable to type 'string'/);
  // The error goes away with an edit of the other file, which no call has opened.
  folder.write('src/shop.ts', 'export function withTax(price: number): string {\n  return String(price);\n}\n');
  expect(await folder.value('lsp_diagnostics', { path: 'src/main.ts' })).toMatchObject({ diagnostics: [] });
  folder.write('src/more.ts', "import { total } from './main.ts';\nexport const more = total;\n");
  const { references } = await folder.value('lsp_references', {
    path: 'src/main.ts',
    symbol: 'total',
    includeDeclaration: false,
  });
  expect(references).toContainEqual(expect.objectContaining({ path: 'src/more.ts', line: 2 }));
});

test('lsp_rename changes every file after approval, in each encoding of ends of lines', async () => {
  await using folder = await open({
    'src/windows.ts': "import { withTax } from './shop.ts';\r\nexport const x = withTax(1);\r\n",
  });
  const args = { path: 'src/shop.ts', symbol: 'withTax', newName: 'addTax' };
  const dry = await folder.call('lsp_rename', { ...args, dryRun: true }, { approves: false });
  expect(dry.result.structured).toMatchObject({
    dryRun: true,
    files: expect.arrayContaining([{ path: 'src/shop.ts', edits: 1 }]),
  });
  const denied = await folder.call('lsp_rename', args, { approves: false });
  expect(denied.record.errorCode).toBe('E_APPROVAL_DENIED');
  expect(folder.read('src/main.ts')).toBe(files['src/main.ts']);

  const { result, approvals } = await folder.call('lsp_rename', args);
  expect(approvals).toMatchObject([
    { risk: 'high', summary: 'Rename "withTax" of "src/shop.ts" to "addTax" in all files' },
  ]);
  expect(result.structured).toMatchObject({ dryRun: false });
  expect(folder.read('src/shop.ts')).toContain('function addTax(');
  expect(folder.read('src/main.ts')).toBe(
    "import { addTax } from './shop.ts';\n\nexport const total = ['😀😀', addTax(10)];\n",
  );
  expect(folder.read('src/windows.ts')).toBe("import { addTax } from './shop.ts';\r\nexport const x = addTax(1);\r\n");
  expect(await folder.value('lsp_diagnostics', { path: 'src/windows.ts' })).toMatchObject({ diagnostics: [] });
});

test('two calls at once have their own answers', async () => {
  await using folder = await open();
  const [hover, symbols, definition] = await Promise.all([
    folder.value('lsp_hover', { path: 'src/shop.ts', symbol: 'price' }),
    folder.value('lsp_symbols', { path: 'src/main.ts' }),
    folder.value('lsp_definition', { path: 'src/main.ts', symbol: 'withTax' }),
  ]);
  expect(hover['text']).toContain('price: number');
  expect(symbols['symbols']).toContainEqual(expect.objectContaining({ name: 'total', path: 'src/main.ts' }));
  expect(definition['definitions']).toMatchObject([{ path: 'src/shop.ts' }]);
});

test("TypeScript's server does not load a plugin that the project names", async () => {
  const plugin =
    "require('fs').writeFileSync(require('path').join(__dirname, 'loaded'), ''); module.exports = () => ({ create: (info) => info.languageService });";
  const options = { strict: true, noEmit: true, plugins: [{ name: 'evil' }, { name: './evil.js' }] };
  await using folder = await open({
    'tsconfig.json': JSON.stringify({ compilerOptions: options }),
    'package.json': '{ "devDependencies": { "evil": "1.0.0" } }',
    'node_modules/evil/package.json': '{ "name": "evil", "version": "1.0.0", "main": "index.js" }',
    'node_modules/evil/index.js': plugin,
    'evil.js': plugin,
  });
  expect(await folder.value('lsp_hover', { path: 'src/shop.ts', symbol: 'withTax' })).toMatchObject({
    text: expect.stringContaining('withTax') as string,
  });
  expect(await folder.code('lsp_diagnostics', { path: 'src/main.ts' })).toBe('ok');
  const loaded = (): readonly boolean[] => ['loaded', 'node_modules/evil/loaded'].map((path) => folder.exists(path));
  expect(loaded()).toEqual([false, false]);
  // Each of them would have left its file.
  const load = createRequire(join(folder.root, 'index.js'));
  for (const name of ['./evil.js', 'evil']) load(name);
  expect(loaded()).toEqual([true, true]);
});
