import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

/** Waits until no other process works in a folder or below it. */
async function untilLeft(folder: string): Promise<void> {
  const isInside = (id: string): boolean => {
    try {
      return id !== String(process.pid) && readlinkSync(`/proc/${id}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  };
  while (readdirSync('/proc').some((id) => /^\d+$/u.test(id) && isInside(id))) await pause(20);
}

for (const engine of ['ripgrep', 'javascript']) {
  test(`a search that takes longer than callTimeoutMs ends with its process (${engine})`, async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `many/folder-${index}/file.txt`);
    const toolSource = [{ use: '@ravi/tools-search', root: 'many', engine }];
    await using server = await startServer(
      { plugins: { toolSource } },
      Object.fromEntries(names.map((name) => [name, `needle in ${name}\n`])),
    );
    const code = `
      const calls = { glob: { pattern: '**/*.txt' }, grep: { pattern: 'needle' }, code_search: { pattern: 'needle' }, tree: { depth: 5 } };
      const codes = [];
      for (const [name, args] of Object.entries(calls)) codes.push((await tools[name].safe(args)).error?.code ?? 'ok');
      return codes;`;
    const late = await server.chain(code, { callTimeoutMs: 1 });
    assert.deepEqual(late.body.value, Array(4).fill('E_CALL_TIMEOUT'), JSON.stringify(late.body));
    await untilLeft(join(server.installation.folder, 'many'));
    const { body } = await server.chain(code);
    assert.deepEqual(body.value, Array(4).fill('ok'), JSON.stringify(body));
  });
}

/** Starts a server over a repository with one commit and a hook that begins and does not end. */
async function startWithHook(): Promise<
  TestServer & { readonly root: string; readonly git: (...args: string[]) => string }
> {
  const identity = { name: 'Robot', email: 'robot@example.com' };
  const toolSource = [{ use: '@ravi/tools-git', root: 'repository', identity, hooks: true, protocols: ['file'] }];
  const server = await startServer(
    { plugins: { toolSource }, policy: { maxRiskUnapproved: 'high' } },
    { 'repository/a.txt': 'one\n' },
  );
  const root = join(server.installation.folder, 'repository');
  const user = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main'];
  const git = (...args: string[]): string => execFileSync('git', [...user, ...args], { cwd: root, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  const hook = join(root, '.git/hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\nsetsid sleep 3600 &\ntouch began\nsleep 3600\n');
  chmodSync(hook, 0o755);
  return { ...server, root, git, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('a commit that takes longer than callTimeoutMs ends with its hook and what that started, and can be repeated', async () => {
  await using server = await startWithHook();
  writeFileSync(join(server.root, 'a.txt'), 'two\n');
  const commit = `return (await tools.git_commit.safe({ message: 'Second', paths: ['a.txt'] })).error?.code ?? 'ok';`;
  const late = await server.chain(commit, { callTimeoutMs: 3_000 });
  assert.equal(late.body.value, 'E_CALL_TIMEOUT', JSON.stringify(late.body));
  assert.equal(existsSync(join(server.root, 'began')), true);
  await untilLeft(server.root);
  assert.equal(server.git('log', '--format=%s').trim(), 'First');
  assert.equal(existsSync(join(server.root, '.git/index.lock')), false);
  writeFileSync(join(server.root, '.git/hooks/pre-commit'), '#!/bin/sh\n');
  const { body } = await server.chain(commit);
  assert.equal(body.value, 'ok', JSON.stringify(body));
  assert.equal(server.git('log', '--format=%s').trim(), 'Second\nFirst');
});

test('what a hook leaves running ends with its commit', async () => {
  await using server = await startWithHook();
  writeFileSync(join(server.root, '.git/hooks/pre-commit'), '#!/bin/sh\nsetsid sleep 3600 &\ntouch began\n');
  writeFileSync(join(server.root, 'a.txt'), 'two\n');
  const { body } = await server.post('/v1/tools/git_commit', { args: { message: 'Second', paths: ['a.txt'] } });
  assert.equal(body.status, 'ok', JSON.stringify(body));
  assert.equal(existsSync(join(server.root, 'began')), true);
  await untilLeft(server.root);
});

test('a clone and a fetch have a time limit of their own, and callTimeoutMs does not end them', async () => {
  await using server = await startWithHook();
  server.git('clone', '--quiet', '--bare', '.', 'other.git');
  const code = `
    const cloned = await tools.git_clone.safe({ address: 'other.git', folder: 'copy' });
    const fetched = await tools.git_fetch.safe({ repository: 'copy' });
    const status = await tools.git_status.safe({ repository: 'copy' });
    return [cloned, fetched, status].map(({ error }) => error?.code ?? 'ok');`;
  const { body } = await server.chain(code, { callTimeoutMs: 1 });
  assert.deepEqual(body.value, ['ok', 'ok', 'E_CALL_TIMEOUT'], JSON.stringify(body));
});

test('a clone from a server that does not answer ends at transferTimeoutMs, and its folder is free again', async () => {
  const silent = createServer(() => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const source = { use: '@ravi/tools-git', root: 'work', transferTimeoutMs: 1_000, allowPrivateAddresses: true };
  await using server = await startServer(
    {
      plugins: { toolSource: [{ ...source, protocols: ['file', 'https'] }] },
      policy: { maxRiskUnapproved: 'high' },
    },
    { 'work/a.txt': '' },
  );
  const root = join(server.installation.folder, 'work');
  const clone = async (address: string): Promise<string> => {
    const { body } = await server.post('/v1/tools/git_clone', { args: { address, folder: 'copy' } });
    return `${body.error?.code ?? 'ok'} ${body.text}`;
  };
  assert.match(
    await clone(`https://127.0.0.1:${port}/x`),
    /^E_GIT_TIMEOUT .*The transfer took more than 1000 ms \(transferTimeoutMs\) and was ended/u,
  );
  await untilLeft(root);
  execFileSync('git', ['init', '--quiet', '--bare', join(root, 'other.git')]);
  assert.match(await clone('other.git'), /^ok /u);
  silent.close();
});
