import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, test } from 'vitest';

import { portTemplates } from '../../packages/cli/src/new-adapter/ports.ts';
import { root } from '../lib/workspace.ts';

let workspace = '';

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'ravi-new-adapter-'));
  for (const file of readdirSync(root).filter((name) => /^tsconfig\..*json$/.test(name))) {
    cpSync(join(root, file), join(workspace, file));
  }
  writeFileSync(join(workspace, 'pnpm-workspace.yaml'), 'packages:\n  - packages/blobs/*\n');
  mkdirSync(join(workspace, 'node_modules/@ravi'), { recursive: true });
  symlinkSync(join(root, 'packages/kernel'), join(workspace, 'node_modules/@ravi/kernel'));
  symlinkSync(join(root, 'packages/testkit'), join(workspace, 'node_modules/@ravi/testkit'));
  symlinkSync(join(root, 'node_modules/vitest'), join(workspace, 'node_modules/vitest'));
  symlinkSync(join(root, 'node_modules/@types'), join(workspace, 'node_modules/@types'));
});

afterEach(() => rmSync(workspace, { recursive: true }));

/** Runs `npm run new-adapter` and returns the folder that it wrote. */
function newAdapter(...args: readonly [port: string, name: string]): string {
  const { stdout, stderr, status } = start(...args);
  assert.equal(status, 0, stderr);
  const [, folder = ''] = /^Wrote (\S+)\. Next:/.exec(stdout) ?? [];
  return folder;
}

function start(...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(root, 'scripts/new-adapter.ts'), ...args, workspace], { encoding: 'utf8' });
}

function assertRefused(args: readonly string[], message: RegExp): void {
  const { stdout, stderr, status } = start(...args);
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /\n./);
}

for (const port of Object.keys(portTemplates)) {
  test(`a new ${port} adapter compiles with its contract test and is formatted`, () => {
    const folder = join(workspace, newAdapter(port, 'two-words'));
    assert.equal(run('typescript/bin/tsc', '-p', folder), '');
    assert.equal(run('oxfmt/bin/oxfmt', '-c', join(root, '.oxfmtrc.json'), '--list-different', folder), '');
  });
}

function run(program: string, ...args: string[]): string {
  const command = [join(root, 'node_modules', program), ...args];
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: workspace, encoding: 'utf8' });
  return stdout + stderr;
}

test('the package, the plugin and the folder have the requested name', () => {
  const folder = newAdapter('blobStore', 's3');
  assert.equal(folder, 'packages/blobs/s3');
  const manifest = JSON.parse(readFileSync(join(workspace, folder, 'package.json'), 'utf8')) as { name: string };
  assert.equal(manifest.name, '@ravi/blob-s3');
  assert.match(readFileSync(join(workspace, folder, 'src/index.ts'), 'utf8'), /name: 'blob-s3'/);
});

test('the folder of a port belongs to the workspace from its first adapter on', () => {
  for (const name of ['first', 'second']) newAdapter('stateStore', name);
  newAdapter('blobStore', 's3');
  const text = readFileSync(join(workspace, 'pnpm-workspace.yaml'), 'utf8');
  assert.equal(text, 'packages:\n  - packages/state/*\n  - packages/blobs/*\n');
});

test('a folder that exists is refused and left as it is', () => {
  const folder = join(workspace, newAdapter('sandbox', 'wasm'));
  rmSync(join(folder, 'README.md'));
  assertRefused(['sandbox', 'wasm'], /packages\/sandboxes\/wasm exists already/);
  assert.equal(existsSync(join(folder, 'README.md')), false);
});

test('invalid names are refused before anything is written', () => {
  for (const name of ['', 'S3', '../up', 'a_b', 'a--b', '-a', 'a-', 'a b', 'a'.repeat(41)]) {
    assertRefused(['blobStore', name], /cannot name an adapter/);
  }
  assert.equal(existsSync(join(workspace, 'packages')), false);
});

test('an unknown port is refused with the list of ports', () => {
  assertRefused(['blobs', 's3'], /no port "blobs".*blobStore/);
  assertRefused(['constructor', 's3'], /no port "constructor"/);
  assertRefused([], /^Usage.*blobStore/);
});
