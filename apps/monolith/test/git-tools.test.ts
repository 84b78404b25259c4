import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PluginEntry } from '@ravi/host';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const user = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main'];

/** Starts a server whose tools work in a repository with one commit and a program among its hooks. */
async function startWith(
  approvals?: PluginEntry,
): Promise<TestServer & { readonly git: (...args: string[]) => string; readonly root: string }> {
  const identity = { name: 'Robot', email: 'robot@example.com' };
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const typescript = { command: [process.execPath, tsc, '--lsp', '--stdio'], extensions: ['.ts'] };
  const toolSource = [
    { use: '@ravi/tools-git', root: './repository', identity, protocols: ['file'] },
    { use: '@ravi/tools-lsp', root: './repository', servers: { typescript, python: false } },
  ];
  const plugins = approvals === undefined ? { toolSource } : { toolSource, approvalHandler: approvals };
  const files = {
    'repository/tsconfig.json': '{ "compilerOptions": { "strict": true, "noEmit": true } }',
    'repository/sum.ts':
      'export function sum(a: number, b: number): number {\n  return a - b;\n}\nexport const three = sum(1, 2);\n',
  };
  const server = await startServer({ plugins }, files);
  const root = join(server.installation.folder, 'repository');
  const git = (...args: string[]): string => execFileSync('git', [...user, ...args], { cwd: root, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch hook-ran\n');
  chmodSync(join(root, '.git/hooks/pre-commit'), 0o755);
  return { ...server, git, root, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const allowed = { use: '@ravi/approval-auto', rules: [{ decision: 'approved' }] };

test('a script finds, renames, compares and commits after approval, and no hook of the repository runs', async () => {
  await using server = await startWith(allowed);
  const code = `
    const { references } = await tools.lsp_references({ path: 'sum.ts', symbol: 'sum' });
    await tools.lsp_rename({ path: 'sum.ts', symbol: 'sum', newName: 'add' });
    const { diagnostics } = await tools.lsp_diagnostics({ path: 'sum.ts' });
    const { files } = await tools.git_diff({});
    await tools.git_add({ paths: files.map(({ path }) => path) });
    const { commit } = await tools.git_commit({ message: 'Rename sum' });
    const { commits } = await tools.git_log({ limit: 1 });
    return [references.length, diagnostics.length, files, commits[0].hash === commit.hash, commit.author];`;
  const { body } = await server.chain(code);
  assert.deepEqual(body.value, [2, 0, [{ path: 'sum.ts', added: 2, removed: 2 }], true, 'Robot'], JSON.stringify(body));
  assert.match(readFileSync(join(server.root, 'sum.ts'), 'utf8'), /export const three = add\(1, 2\)/);
  assert.equal(server.git('log', '--format=%s').trim(), 'Rename sum\nFirst');
  assert.equal(existsSync(join(server.root, 'hook-ran')), false);
});

test('without an approver reading works, and nothing is written', async () => {
  await using server = await startWith();
  const { items } = (await server.get('/v1/tools')).body as {
    readonly items: readonly { readonly name: string; readonly risk?: string }[];
  };
  const risks = Object.fromEntries(items.map(({ name, risk }) => [name, risk]));
  assert.deepEqual(
    [risks['git_status'], risks['git_commit'], risks['git_push'], risks['lsp_hover']],
    ['safe', 'high', 'critical', 'safe'],
  );
  const code = `
    const ends = [];
    for (const [name, args] of [
      ['git_status', {}],
      ['git_branch', { action: 'list' }],
      ['git_branch', { action: 'create', name: 'topic' }],
      ['git_commit', { message: 'x', paths: ['sum.ts'] }],
      ['git_reset', { mode: 'hard', revision: 'HEAD' }],
      ['git_clean', {}],
      ['lsp_rename', { path: 'sum.ts', symbol: 'sum', newName: 'add' }],
      ['lsp_symbols', { path: 'sum.ts' }],
    ]) {
      const result = await tools[name].safe(args);
      ends.push(name + ' ' + (result.error?.code ?? 'ok'));
    }
    return ends;`;
  const { body } = await server.chain(code, { maxScriptCalls: 20 });
  assert.deepEqual(
    body.value,
    [
      'git_status ok',
      'git_branch ok',
      'git_branch E_APPROVAL_DENIED',
      'git_commit E_APPROVAL_DENIED',
      'git_reset E_APPROVAL_DENIED',
      'git_clean E_APPROVAL_DENIED',
      'lsp_rename E_APPROVAL_DENIED',
      'lsp_symbols ok',
    ],
    JSON.stringify(body),
  );
  assert.equal(server.git('branch', '--format=%(refname:short)').trim(), 'main');
});

test('a rule that allows what is not critical lets a commit through and stops what cannot be undone', async () => {
  const rules = [{ tool: 'git_*', risk: 'high', decision: 'approved' }, { decision: 'denied' }];
  await using server = await startWith({ use: '@ravi/approval-auto', rules });
  writeFileSync(join(server.root, 'sum.ts'), 'export {};\n');
  const post = async (tool: string, args: object): Promise<string> => {
    const { body } = await server.post(`/v1/tools/${tool}`, { args });
    return body.error?.code ?? body.status;
  };
  assert.equal(await post('git_restore', { paths: ['sum.ts'], target: 'worktree' }), 'E_APPROVAL_DENIED');
  assert.equal(await post('git_commit', { message: 'Empty', paths: ['sum.ts'] }), 'ok');
  assert.equal(await post('git_push', { branch: 'main' }), 'E_GIT_REMOTE');
  server.git('remote', 'add', 'origin', '../other');
  assert.equal(await post('git_push', { branch: 'main' }), 'E_APPROVAL_DENIED');
});
