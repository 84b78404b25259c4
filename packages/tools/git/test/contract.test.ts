import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocalTool } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import plugin from '@ravi/tools-git';
import { test } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'ravi-git-contract-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));
const user = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
const git = (...args: string[]): void => void execFileSync('git', [...user, ...args], { cwd: root, stdio: 'ignore' });
git('init', '--quiet', '--initial-branch=main');
writeFileSync(join(root, 'a.txt'), 'one\n');
git('add', '.');
git('commit', '--quiet', '-m', 'First');
writeFileSync(join(root, 'a.txt'), 'two\n');

pluginContract(test, plugin, { root });

const source = await plugin.create({ root }, { baseDir: root, clock: createFakeClock(), logger: createMemoryLogger() });
toolSourceContract(test, () => ({ source }));

const open = await source.open({ signal: AbortSignal.timeout(60_000), onChange: () => {} });
const samples = {
  git_status: {},
  git_diff: { paths: ['a.txt'] },
  git_log: { limit: 1 },
  git_show: { revision: 'HEAD' },
  git_blame: { path: 'a.txt' },
  git_branch: { action: 'list' },
  git_stash: { action: 'list' },
  git_add: { paths: ['a.txt'] },
  git_clean: { dryRun: true },
} as const;
for (const tool of open.content().tools) {
  const sample = Object.entries(samples).find(([name]) => name === tool.name)?.[1];
  if (isLocalTool(tool) && sample !== undefined) {
    toolContract(test, tool, sample);
  }
}
