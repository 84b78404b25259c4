import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkspace, workspaceOfCall } from '../src/index.ts';
import type { Workspace } from '../src/index.ts';

let base: string;
let workspace: Workspace;
const pathOf = (...parts: string[]): string => join(base, ...parts);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-workspace-')));
  mkdirSync(pathOf('inside', 'sub'), { recursive: true });
  mkdirSync(pathOf('outside'));
  writeFileSync(pathOf('inside', 'a.txt'), 'inside');
  writeFileSync(pathOf('inside', 'sub', 'b.txt'), 'below');
  writeFileSync(pathOf('outside', 'secret.txt'), 'secret');
  workspace = openWorkspace(pathOf('inside'));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

async function read(path: string): Promise<string> {
  const file = await workspace.openFile(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function codeOf(path: string): Promise<string> {
  try {
    return await read(path);
  } catch (error) {
    if (!isKernelError(error)) throw error;
    expect(error.message).not.toContain(base);
    return error.code;
  }
}

test('reads files by relative and absolute paths below the root', async () => {
  expect(await read('a.txt')).toBe('inside');
  expect(await read('./sub//../sub/./b.txt')).toBe('below');
  expect(await read(pathOf('inside', 'sub', 'b.txt'))).toBe('below');
});

test('follows links inside, and none that leads outside', async () => {
  symlinkSync('sub/b.txt', pathOf('inside', 'link'));
  symlinkSync('../a.txt', pathOf('inside', 'sub', 'up'));
  symlinkSync(pathOf('inside', 'sub'), pathOf('inside', 'absolute'));
  symlinkSync('../outside', pathOf('inside', 'out'));
  symlinkSync(pathOf('outside', 'secret.txt'), pathOf('inside', 'secret'));
  symlinkSync('round', pathOf('inside', 'round'));
  expect(await read('link')).toBe('below');
  expect(await read('sub/up')).toBe('inside');
  expect(await read('absolute/b.txt')).toBe('below');
  expect(await read('absolute/../a.txt')).toBe('inside');
  expect(await codeOf('out/secret.txt')).toBe('E_PATH_OUTSIDE');
  expect(await codeOf('secret')).toBe('E_PATH_OUTSIDE');
  expect(await codeOf('round')).toBe('E_FILE_KIND');
});

test('`..` of an absolute path or link is the folder above what the links before it lead to', async () => {
  mkdirSync(pathOf('inside', 'sub', 'deep'));
  symlinkSync('sub/deep', pathOf('inside', 'deep'));
  symlinkSync('../outside', pathOf('inside', 'out'));
  symlinkSync(pathOf('inside', 'deep') + '/../b.txt', pathOf('inside', 'right'));
  symlinkSync(pathOf('inside', 'out') + '/../a.txt', pathOf('inside', 'wrong'));
  expect(await read('right')).toBe('below');
  expect(await read(`${pathOf('inside', 'deep')}/../b.txt`)).toBe('below');
  expect(await codeOf('wrong')).toBe('E_PATH_OUTSIDE');
  for (const path of [`${pathOf('inside', 'out')}/../a.txt`, `${pathOf('inside')}-other/a.txt`]) {
    await expect(read(path), path).rejects.toMatchObject({ code: 'E_PATH_OUTSIDE' });
  }
});

test.each([
  ['../outside/secret.txt', 'E_PATH_OUTSIDE'],
  ['sub/../../outside/secret.txt', 'E_PATH_OUTSIDE'],
  ['/etc/passwd', 'E_PATH_OUTSIDE'],
  ['..', 'E_PATH_OUTSIDE'],
  ['', 'E_ARGUMENTS_INVALID'],
  ['a.txt\0', 'E_ARGUMENTS_INVALID'],
  ['x'.repeat(5_000), 'E_ARGUMENTS_INVALID'],
  ['x'.repeat(300), 'E_ARGUMENTS_INVALID'],
  ['missing.txt', 'E_FILE_NOT_FOUND'],
  ['missing/a.txt', 'E_FILE_NOT_FOUND'],
  ['a.txt/b', 'E_FILE_KIND'],
  ['sub', 'E_FILE_KIND'],
  ['.', 'E_FILE_KIND'],
])('refuses %j with %s and no path of the host', async (path, code) => {
  expect(await codeOf(path)).toBe(code);
});

test('refuses a pipe at once', async () => {
  execFileSync('mkfifo', [pathOf('inside', 'pipe')]);
  expect(await codeOf('pipe')).toBe('E_FILE_KIND');
});

test('names a place by its path without links, and creates folders on request', () => {
  symlinkSync('sub', pathOf('inside', 'alias'));
  using place = workspace.locate('alias/new/deep/file.txt', { createFolders: true });
  expect(place.path).toBe('sub/new/deep/file.txt');
  writeFileSync(place.at(), 'new');
  renameSync(place.at(), place.at('renamed.txt'));
  expect(readdirSync(pathOf('inside', 'sub', 'new', 'deep'))).toEqual(['renamed.txt']);
  using root = workspace.locate('.');
  expect(root.path).toBe('.');
  using folder = workspace.locate('sub/new/..');
  expect(folder.path).toBe('sub');
  using link = workspace.locate('alias', { followLast: false });
  expect(link.path).toBe('alias');
});

test.runIf(process.platform === 'linux')(
  'reads and writes nothing outside while folders are swapped for links',
  async () => {
    const swapped = pathOf('inside', 'swap');
    mkdirSync(swapped);
    mkdirSync(pathOf('spare'));
    writeFileSync(join(swapped, 'secret.txt'), 'mine');
    symlinkSync(pathOf('outside'), pathOf('link'));
    const seen = new Set<string>();
    for (let round = 0; round < 2_000; round += 1) {
      const reading = codeOf('swap/secret.txt');
      if (round % 2 === 0) {
        renameSync(swapped, pathOf('spare', 'kept'));
        renameSync(pathOf('link'), swapped);
        seen.add(await reading);
        await setImmediate();
        seen.add(await codeOf('swap/secret.txt'));
        renameSync(swapped, pathOf('link'));
        renameSync(pathOf('spare', 'kept'), swapped);
      } else {
        seen.add(await reading);
      }
    }
    expect([...seen].toSorted()).toEqual(['E_PATH_OUTSIDE', 'mine']);
  },
);

test('orders work on one file, under each of its names', async () => {
  symlinkSync('a.txt', pathOf('inside', 'link'));
  const order: string[] = [];
  const work = async (path: string): Promise<void> => {
    using place = workspace.locate(path);
    await workspace.withLock(place, async () => {
      order.push(`${path} begins`);
      await setImmediate();
      order.push(`${path} ends`);
    });
  };
  // The last is the same file on a file system that ignores case.
  await Promise.all([work('a.txt'), work('link'), work('A.TXT')]);
  expect(order).toEqual(['a.txt', 'link', 'A.TXT'].flatMap((path) => [`${path} begins`, `${path} ends`]));
});

test('does not leak handles of folders', async () => {
  const countHandles = (): number => readdirSync('/proc/self/fd').length;
  const before = countHandles();
  for (let round = 0; round < 200; round += 1) {
    await codeOf('../x');
    await codeOf('missing/x');
    await read('sub/b.txt');
  }
  expect(countHandles()).toBeLessThanOrEqual(before + 2);
});

test('finds the workspace of a call', () => {
  const configured = workspaceOfCall({ root: 'inside', baseDir: base });
  expect(configured({}).root).toBe(pathOf('inside'));
  const ofRun = workspaceOfCall({ baseDir: base });
  expect(ofRun({ cwd: pathOf('inside', 'sub') }).root).toBe(pathOf('inside', 'sub'));
  expect(() => ofRun({})).toThrowError(/no folder to work in/);
  expect(() => workspaceOfCall({ root: 'missing', baseDir: base })).toThrowError(
    'root: the folder "missing" does not exist, or is not a folder',
  );
  // A model reads this one, so it has no path of the host.
  expect(() => ofRun({ cwd: pathOf('gone') })).toThrowError(
    'The folder in which this run works does not exist, or is not a folder',
  );
});
