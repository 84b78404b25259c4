import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'vitest';
import { portTemplates } from '../src/new-adapter/ports.ts';
import { createFolder } from './support/folder.ts';
import { runCaptured } from './support/server.ts';

const root = join(import.meta.dirname, '../../..');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const packages = {
  '@ravi/kernel': 'packages/kernel',
  '@ravi/testkit': 'packages/testkit',
  '@ravi/blob-memory': 'packages/blobs/memory',
  '@ravi/sandbox-vm': 'packages/sandboxes/vm',
  '@ravi/state-sqlite': 'packages/state/sqlite',
  '@types': 'node_modules/@types',
  '.bin/tsc': 'node_modules/typescript/bin/tsc',
};

/** Makes the packages that an adapter depends on known in a folder, as `npm install` would. */
async function linkPackages(folder: string): Promise<void> {
  for (const [name, path] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, path), link);
  }
}

/** Runs a program in a folder and gives its exit code and everything it wrote. */
async function run(cwd: string, program: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, args, { cwd, env: { PATH: process.env['PATH'] } });
  const [code, output, errors] = await Promise.all([
    new Promise<number | null>((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: output + errors };
}

test('an adapter of every port compiles and passes the contract suite of its port at once', async () => {
  await using own = await createFolder();
  const where = { cwd: own.folder, env: {} };
  await linkPackages(own.folder);
  const folders = [];
  for (const port of Object.keys(portTemplates)) {
    const { code, output, errors } = await runCaptured(['new-adapter', port, 'two-words', '--json'], where);
    assert.equal(code, 0, errors);
    const { folder } = JSON.parse(output) as { folder: string };
    const checked = await run(join(own.folder, folder), process.execPath, compiler, '-p', '.');
    assert.equal(checked.output, '', port);
    folders.push(folder);
  }
  const tests = await Promise.all(
    folders.map(async (folder) => join(folder, 'test', (await readdir(join(own.folder, folder, 'test')))[0] ?? '')),
  );
  const contract = (...args: string[]): ReturnType<typeof run> =>
    run(own.folder, process.execPath, '--test', '--test-reporter=dot', '--test-concurrency=1', ...args);
  const isSandbox = (path: string): boolean => path.includes('sandbox');
  const most = await contract(...tests.filter((path) => !isSandbox(path)));
  assert.equal(most.code, 0, most.output);
  // The tests of the sandbox that it begins as run all cases; their limits of time need a machine to themselves.
  const cases = 'sandbox: (declares what|gives the value|a call carries|sequential calls)';
  const sandbox = await contract(`--test-name-pattern=${cases}`, ...tests.filter(isSandbox));
  assert.equal(sandbox.code, 0, sandbox.output);
  assert.ok((sandbox.output.match(/\./g) ?? []).length > 10, sandbox.output);
});

test('an adapter that is packed can be used by the name of its package', async () => {
  const config = { plugins: { blobStore: { use: 'ravi-blob-azure' } } };
  await using own = await createFolder({ 'ravi.config.json': JSON.stringify(config) });
  const where = { cwd: own.folder, env: {} };
  await linkPackages(own.folder);
  assert.equal((await runCaptured(['new-adapter', 'blobStore', 'azure'], where)).code, 0);
  const packed = await run(join(own.folder, 'ravi-blob-azure'), 'npm', 'pack', '--silent');
  assert.equal(packed.code, 0, packed.output);
  const installed = join(own.folder, 'node_modules/ravi-blob-azure');
  await mkdir(installed);
  const archive = join(own.folder, 'ravi-blob-azure', packed.output.trim());
  const unpacked = await run(installed, 'tar', '-xzf', archive, '--strip-components=1');
  assert.equal(unpacked.code, 0, unpacked.output);
  assert.deepEqual((await readdir(installed)).toSorted(), ['README.md', 'dist', 'package.json']);
  const { output } = await runCaptured(['doctor'], where);
  assert.match(output, /ok {6}blobStore ravi-blob-azure: writes, reads and deletes/);
});

test('an unknown port, an invalid name and a folder that exists are refused', async () => {
  await using own = await createFolder();
  const where = { cwd: own.folder, env: {} };
  assert.equal((await runCaptured(['new-adapter', 'blobStore', 'azure'], where)).code, 0);
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['blobStore', 'Azure', /E_USAGE: "Azure" cannot name an adapter/],
    ['blobStore', 'azure', /E_USAGE: ravi-blob-azure exists already/],
  ];
  for (const [port, name, message] of cases) {
    const { code, errors } = await runCaptured(['new-adapter', port, name], where);
    assert.equal(code, 2);
    assert.match(errors, message);
  }
  assert.equal((await runCaptured(['new-adapter', 'blobs', 'azure'], where)).code, 2);
});
