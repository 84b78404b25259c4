import { chmodSync, renameSync, symlinkSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Tool } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, createTestBlobs, createToolContext, runTool } from '@ravi/testkit';
import type { RunToolReport } from '@ravi/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import plugin from '../src/index.ts';
import { walkTree } from '../src/walk/walk-tree.ts';
import { createSearchTree } from './search-tree.ts';
import type { SearchTree } from './search-tree.ts';

const context = { clock: createFakeClock(), logger: createMemoryLogger() };

async function toolsOf(tree: SearchTree, options: object = {}): Promise<ReadonlyMap<string, Tool>> {
  const source = await plugin.create({ root: 'inside', ...options }, { ...context, baseDir: tree.base });
  const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
  return new Map(open.content().tools.map((tool) => [tool.name, tool as Tool]));
}

let tree: SearchTree;
let tools: ReadonlyMap<string, Tool>;

beforeEach(async () => {
  tree = createSearchTree();
  tools = await toolsOf(tree);
});
afterEach(() => {
  tree[Symbol.dispose]();
});

function run(name: string, args: JsonObject, signal?: AbortSignal): Promise<RunToolReport> {
  return runTool(tools.get(name) as Tool, args, signal === undefined ? {} : { signal });
}

async function valueOf(name: string, args: JsonObject): Promise<unknown> {
  const { result } = await run(name, args);
  expect(result.status, result.error?.message).toBe('ok');
  return result.structured;
}

async function codeOf(name: string, args: JsonObject): Promise<string | undefined> {
  const { result } = await run(name, args);
  expect(JSON.stringify(result)).not.toContain(tree.base);
  return result.error?.code;
}

test('every tool is safe and has documentation and a hint', () => {
  expect([...tools.keys()]).toEqual(['glob', 'grep', 'code_search', 'tree']);
  for (const tool of tools.values()) {
    expect(tool).toMatchObject({ risk: 'safe', idempotent: true, concurrency: 'parallel' });
    expect(tool.documentation?.()).toContain('gitignore');
    expect(tool.promptHint).toBeTypeOf('string');
  }
});

test('glob pages through the paths', async () => {
  tree.write(
    Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${String(index).padStart(2, '0')}.ts`, ''])),
  );
  expect(await valueOf('glob', { pattern: '*.ts', limit: 2 })).toEqual({
    files: ['f00.ts', 'f01.ts'],
    total: 25,
    nextOffset: 2,
  });
  expect(await valueOf('glob', { pattern: ['*.ts'], limit: 5, offset: 20 })).toMatchObject({
    files: { length: 5 },
    total: 25,
  });
  expect(await valueOf('glob', { pattern: '*.ts', offset: 100 })).toEqual({ files: [], total: 25 });
});

test('a model reads lines below their file, with a mark at those that match', async () => {
  tree.write({ 'src/a.ts': 'one\nneedle two\nthree\n', 'b.ts': 'x\nneedle' });
  const { result } = await run('grep', { pattern: 'needle', context: 1, limit: 1, path: '.' });
  expect(result.text).toBe('b.ts\n1- x\n2: needle\n1 of 2 lines; the next begin at offset 1');
  expect(await valueOf('code_search', { pattern: 'needle', output: 'counts' })).toEqual({
    counts: [
      { path: 'b.ts', count: 1 },
      { path: 'src/a.ts', count: 1 },
    ],
    total: 2,
    isTotalExact: true,
  });
  expect(await valueOf('grep', { pattern: 'NEEDLE', ignoreCase: true, output: 'files', glob: 'src/**' })).toMatchObject(
    { files: ['src/a.ts'] },
  );
  expect((await run('grep', { pattern: 'absent' })).result.text).toBe('No line matches.');
});

test('tree shows folders, files and links to a depth', async () => {
  tree.write({ '.gitignore': 'out', 'a/b/c/d.txt': '', 'a/e.txt': '', 'out/x': '', 'z.txt': '' });
  tree.link('../../secret.txt', 'a/link');
  const { result } = await run('tree', { depth: 2 });
  expect(result.text).toBe('.gitignore\na/\n  b/…\n  e.txt\n  link@\nz.txt\n6 entries');
  expect((await run('tree', { path: 'a/b' })).result.text).toBe('c/\n  d.txt\n2 entries');
  expect(await valueOf('tree', { limit: 1 })).toEqual({
    entries: [{ path: '.gitignore', kind: 'file' }],
    isComplete: false,
  });
});

test('a result above the limit of the call becomes an artifact with all of it', async () => {
  tree.write(
    Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${'long-name-'.repeat(20)}${index}.ts`, ''])),
  );
  const artifactStore = createTestBlobs();
  const report = await runTool(tools.get('glob') as Tool, { pattern: '*.ts', limit: 10_000 }, { artifactStore });
  expect(report.result.status).toBe('ok');
  expect(report.artifacts).toHaveLength(1);
  const [stored] = report.artifacts;
  const text = Buffer.from(await artifactStore.resolve(stored?.ref ?? '')).toString();
  expect((JSON.parse(text) as { readonly files: string[] }).files).toHaveLength(2000);
  expect(report.result.text).toMatch(
    /… 19\d\d more lines are left out of this text and are in the value of the result\n2000 of 2000 files/u,
  );
});

test.each([
  ['..', 'E_PATH_OUTSIDE'],
  ['../inside', 'E_PATH_OUTSIDE'],
  ['a/../../secret.txt', 'E_PATH_OUTSIDE'],
  ['/etc', 'E_PATH_OUTSIDE'],
  ['link', 'E_PATH_OUTSIDE'],
  ['up/secret.txt', 'E_PATH_OUTSIDE'],
  ['A', 'E_FILE_NOT_FOUND'],
  ['missing', 'E_FILE_NOT_FOUND'],
  ['-r', 'E_FILE_NOT_FOUND'],
  ['--files', 'E_FILE_NOT_FOUND'],
  ['a.txt/b', 'E_FILE_KIND'],
  ['a\0', 'E_ARGUMENTS_INVALID'],
  ['', 'E_ARGUMENTS_INVALID'],
  ['x'.repeat(5000), 'E_ARGUMENTS_INVALID'],
  ['x'.repeat(300), 'E_ARGUMENTS_INVALID'],
  [7, 'E_ARGUMENTS_INVALID'],
  [null, 'E_ARGUMENTS_INVALID'],
])('the path %j of every tool is %s', async (path, code) => {
  tree.write({ 'a/x.txt': 'needle', 'a.txt': '' });
  tree.link('../secret.txt', 'link');
  tree.link('..', 'up');
  expect(await codeOf('glob', { pattern: '*', path })).toBe(code);
  expect(await codeOf('grep', { pattern: 'needle', path })).toBe(code);
  expect(await codeOf('tree', { path })).toBe(code);
});

test.each([
  ['glob', {}],
  ['glob', { pattern: '' }],
  ['glob', { pattern: [] }],
  ['glob', { pattern: 7 }],
  ['glob', { pattern: 'x'.repeat(1001) }],
  ['glob', { pattern: '{a,b}'.repeat(20) }],
  ['glob', { pattern: '*', limit: 0 }],
  ['glob', { pattern: '*', offset: -1 }],
  ['glob', { pattern: '*', other: 1 }],
  ['grep', {}],
  ['grep', { pattern: '' }],
  ['grep', { pattern: '(' }],
  ['grep', { pattern: 'a\0' }],
  ['grep', { pattern: 'x'.repeat(2001) }],
  ['grep', { pattern: 'x', context: 21 }],
  ['grep', { pattern: 'x', output: 'all' }],
  ['grep', { pattern: 'x', glob: [''] }],
  ['tree', { depth: 0 }],
  ['tree', { limit: 1e9 }],
] as [string, JsonObject][])('%s refuses %j', async (name, args) => {
  expect(await codeOf(name, args)).toBe('E_ARGUMENTS_INVALID');
});

test('links inside the workspace are followed where the path names them, and nowhere else', async () => {
  tree.write({ 'real/a.txt': 'needle' });
  tree.link('real', 'alias');
  tree.link('../../secret.txt', 'real/out.txt');
  expect(await valueOf('grep', { pattern: 'needle', path: 'alias', output: 'files' })).toMatchObject({
    files: ['real/a.txt'],
  });
  expect(await valueOf('grep', { pattern: 'needle', output: 'files' })).toMatchObject({ files: ['real/a.txt'] });
});

test('with the engine of this package, a folder that is swapped for a link never leads outside', async () => {
  const own = await toolsOf(tree, { engine: 'javascript' });
  tree.write(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`dir/f${index}.txt`, 'inside'])));
  const dir = join(tree.workspace.root, 'dir');
  let isDone = false;
  const swaps = (async () => {
    for (let round = 0; !isDone; round += 1) {
      renameSync(dir, `${dir}-moved`);
      symlinkSync('..', dir);
      await new Promise((resolve) => setImmediate(resolve));
      rmSync(dir);
      renameSync(`${dir}-moved`, dir);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let round = 0; round < 30; round += 1) {
    const { result } = await runTool(own.get('grep') as Tool, { pattern: 'outside' });
    expect(result.structured).toMatchObject({ total: 0 });
  }
  isDone = true;
  await swaps;
});

test('files and folders without permission are left out', async () => {
  tree.write({ 'closed/a.txt': 'needle', 'closed.txt': 'needle', 'open.txt': 'needle' });
  chmodSync(join(tree.workspace.root, 'closed'), 0);
  chmodSync(join(tree.workspace.root, 'closed.txt'), 0);
  // The superuser may read everything.
  const isRoot = process.getuid?.() === 0;
  expect(await valueOf('grep', { pattern: 'needle', output: 'files' })).toMatchObject({
    files: isRoot ? ['closed/a.txt', 'closed.txt', 'open.txt'] : ['open.txt'],
  });
  chmodSync(join(tree.workspace.root, 'closed'), 0o755);
});

test('a cancelled call ends', async () => {
  tree.write(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`d${index}/a.txt`, 'needle\n'.repeat(50)])));
  const controller = new AbortController();
  const running = run('grep', { pattern: 'needle' }, controller.signal);
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'E_CANCELLED' });
});

test('a .gitignore with many rules leaves turns to other work, and to the end of the call', async () => {
  const rules = Array.from({ length: 999 }, (_, index) => `*a*b*c*${index}x`).join('\n');
  tree.write(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`name-${index}`, ''])));
  tree.write({ '.gitignore': rules });
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const walk = walkTree(tree.workspace, { start: '.', usesGitignore: true });
  await walk.next();
  clearImmediate(timer);
  // 101 entries with 999 rules each.
  expect(turns).toBeGreaterThanOrEqual(9);
  const controller = new AbortController();
  const running = walkTree(tree.workspace, { start: '.', usesGitignore: true, signal: controller.signal }).next();
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

test('of a .gitignore the first 1,000 lines count, and none above 256 characters', async () => {
  tree.write({ first: '', last: '', later: '', long: '' });
  tree.write({ '.gitignore': `first\n/${'*'.repeat(256)}long\n${'#\n'.repeat(997)}last\nlater` });
  const { result } = await run('tree', {});
  expect(result.text).toBe('.gitignore\nlater\nlong\n3 entries');
});

test('of nested .gitignore files, the first count that have 20,000 tests together, and listing ends', async () => {
  // A rule of 256 characters counts as 16 tests: 1,000 of them as 16,000.
  const many = `*${'x'.repeat(255)}\n`.repeat(998);
  tree.write({
    '.gitignore': `${many}by-root\n`,
    'a/by-root': '',
    'a/.gitignore': `${many}by-a\n`,
    'a/by-a': '',
    'a/b/.gitignore': 'by-b\n',
    'a/b/by-root': '',
    'a/b/by-a': '',
    'a/b/by-b': '',
  });
  const { result } = await run('tree', { depth: 5 });
  expect(result.text).toBe('.gitignore\na/\n  .gitignore\n  b/\n    .gitignore\n    by-a\n  by-a\n7 entries');
  // The same files above the folder of the call.
  expect((await run('tree', { path: 'a/b' })).result.text).toBe('.gitignore\nby-a\n2 entries');
});

test('a run without a folder says what to configure', async () => {
  const source = await plugin.create({}, { ...context, baseDir: tree.base });
  await using open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
  const [glob] = open.content().tools as readonly Tool[];
  await expect(glob?.execute({ pattern: '*' }, createToolContext())).rejects.toMatchObject({ code: 'E_UNSUPPORTED' });
  tree.write({ 'a.txt': '' });
  expect(await glob?.execute({ pattern: '*' }, createToolContext({ cwd: tree.workspace.root }))).toMatchObject({
    structuredContent: { files: ['a.txt'] },
  });
});

test('a named file that is too large to search is an error, and one in a folder is left out', async () => {
  tree.write({ 'large.txt': 'needle', 'small.txt': 'needle' });
  truncateSync(join(tree.base, 'inside', 'large.txt'), 67_108_865);
  const { result } = await run('grep', { pattern: 'needle', path: 'large.txt' });
  expect(result.error).toMatchObject({ code: 'E_FILE_TOO_LARGE' });
  expect(result.text).toContain('67108865 bytes');
  expect(await valueOf('grep', { pattern: 'needle', output: 'files' })).toMatchObject({ files: ['small.txt'] });
});
