import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject, runCreate } from '@ravi/cli/create';
import { afterEach, beforeEach, test } from 'vitest';
import { shellWord } from '../src/project/create-project.ts';

let cwd = '';
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'create-ravi-'));
});
afterEach(() => rm(cwd, { recursive: true }));

async function create(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const lines: { output: string[]; errors: string[] } = { output: [], errors: [] };
  const print = (line: string): void => void lines.output.push(line);
  const code = await runCreate(args, { cwd, print, warn: (line) => void lines.errors.push(line) });
  return { code, output: lines.output.join('\n'), errors: lines.errors.join('\n') };
}

test('a project is written into a new folder, and the next steps are named', async () => {
  const { code, output } = await create('Shop 2');
  assert.equal(code, 0);
  assert.match(output, /cd (['"])Shop 2\1\n.*npm install\n.*npm run demo/);
  const manifest = JSON.parse(await readFile(join(cwd, 'Shop 2/package.json'), 'utf8')) as {
    name: string;
    dependencies: Record<string, string>;
  };
  assert.equal(manifest.name, 'shop-2');
  const own = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string };
  assert.deepEqual([...new Set(Object.values(manifest.dependencies))], [own.version]);
});

test('a folder with files, more than one name and an unknown option are refused', async () => {
  await writeFile(join(cwd, 'notes.txt'), 'mine');
  for (const args of [['.'], ['a', 'b'], ['--force']]) {
    const { code, errors } = await create(...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(errors, /not an empty folder|Usage: npm create ravi/);
  }
  assert.deepEqual(await readdir(cwd), ['notes.txt']);
});

test('a folder that cannot be created is refused in one line that says why', async () => {
  await symlink(join(cwd, 'nowhere'), join(cwd, 'dangling'));
  const cases: readonly (readonly [string, RegExp])[] = [
    ['dangling', /^dangling is a broken link: .*$/],
    ['x'.repeat(300), /^x{300} cannot be created: name too long \(ENAMETOOLONG\)$/],
  ];
  for (const [name, message] of cases) {
    const { code, errors } = await create(name);
    assert.equal(code, 2);
    assert.match(errors, message);
  }
});

test('a folder without write permission is refused in one line', async (context) => {
  context.skip(process.getuid?.() === 0, 'root ignores permissions');
  await mkdir(join(cwd, 'locked'), { mode: 0o500 });
  const { code, errors } = await create('locked');
  assert.equal(code, 2);
  assert.equal(errors, 'locked cannot be created: permission denied (EACCES)');
});

test('a name with any character becomes one word of the shell', () => {
  assert.equal(shellWord('my-ravi'), 'my-ravi');
  assert.equal(shellWord("it's $HOME"), process.platform === 'win32' ? `"it's $HOME"` : `'it'\\''s $HOME'`);
});

test('existing files are kept unchanged', async () => {
  await writeFile(join(cwd, 'demo.ts'), 'return 1;\n');
  const { written, kept } = await createProject({ folder: cwd });
  assert.deepEqual(kept, ['demo.ts']);
  assert.ok(written.includes('tools/list_orders.ts'));
  assert.equal(await readFile(join(cwd, 'demo.ts'), 'utf8'), 'return 1;\n');
});
