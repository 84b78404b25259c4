import type { ToolExecutionResult } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { readStatus } from '../output/status.ts';
import type { Repository } from '../repository/open-repository.ts';
import { gitError, shownText } from '../run/git-error.ts';
import type { GitResult } from '../run/run-git.ts';

/** Value of a merge or rebase: where it ended, or the files that wait for a person or model. */
export const outcomeSchema = {
  type: 'object',
  properties: {
    state: { enum: ['done', 'conflict'] },
    head: { type: 'string' },
    conflicts: { type: 'array', items: { type: 'string' } },
  },
  required: ['state', 'head', 'conflicts'],
} as const;

/**
 * Returns the result of a merge or rebase. A failure without a conflict is an error.
 * @throws KernelError `E_GIT_…`
 */
export async function outcomeOf(
  repository: Repository,
  command: 'merge' | 'rebase',
  { exitCode, stdout, stderr }: GitResult,
): Promise<ToolExecutionResult> {
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=no', '--ignore-submodules=dirty'];
  const status = readStatus((await repository.run(args)).stdout.toString('utf8'));
  const conflicts = status.files.filter(({ state }) => state === 'conflict').map(({ path }) => path);
  const { root } = repository.workspace;
  if (exitCode !== 0 && conflicts.length === 0) {
    const reason = `${stderr}\n${shownText(stdout.toString('utf8'), root)}`;
    throw gitError({ command, stderr: reason, root, locksFirst: false });
  }
  const head = (await repository.run(['rev-parse', 'HEAD'])).stdout.toString('utf8').trim();
  if (exitCode === 0) return doneAt(repository, head);
  const text = `Conflicts in:\n${conflicts.join('\n')}\nEdit these files, stage them, then continue; or abort`;
  return toolReply(text, { state: 'conflict', head, conflicts });
}

/** Returns the result of a merge or rebase that ended with this commit. */
export async function doneAt(_repository: Repository, head: string): Promise<ToolExecutionResult> {
  return toolReply(`Done: the current commit is ${head.slice(0, 10)}`, { state: 'done', head, conflicts: [] });
}
