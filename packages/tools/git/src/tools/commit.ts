import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool, ToolExecutionResult } from '@ravi/kernel';
import { quoted, quotedPaths, toolReply } from '@ravi/tools-kit';
import { pathArguments } from '../arguments/repository-path.ts';
import type { GitParts } from '../options.ts';
import { markOf, reconcileMove } from '../head/marked-move.ts';
import { commitFormat, commitLine, readCommits } from '../output/commits.ts';
import { checkFilters } from '../repository/check-filters.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
import type { Repository } from '../repository/open-repository.ts';
import { gitError, shownText } from '../run/git-error.ts';
import type { GitResult } from '../run/run-git.ts';
import { commitSchema, pathsArgument, repositoryArgument } from '../schemas.ts';

/** Creates `git_commit`. */
export function createCommitTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_commit',
    description: 'Commits what is staged, or the given files as they are now, with a message.',
    promptHint: 'Look at the changes before git_commit, and write why in its message.',
    risk: 'high',
    documentation: () =>
      'Without `paths`: what is staged. With `paths`: exactly these files, and what is staged of others stays staged; they must be ' +
      'known to git. `amend: true` replaces the last commit. Nothing to commit is the error E_GIT_NOTHING. Hooks run only if the operator has ' +
      'switched them on. After a crash the commit is found by the mark of its call in the log of HEAD, so it is not made twice.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        message: {
          type: 'string',
          minLength: 1,
          maxLength: 65_536,
          pattern: '^\\s*[^\\s\\0][^\\0]*$',
          description: 'First line: summary. Then an empty line and the reasons.',
        },
        paths: pathsArgument,
        amend: { type: 'boolean', default: false, description: 'Replaces the last commit.' },
      },
      required: ['message'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { commit: commitSchema }, required: ['commit'] },
    classifyRisk({ message, paths, amend }) {
      const what = paths === undefined ? 'what is staged' : quotedPaths(paths);
      const verb = amend === true ? 'Replace the last commit with' : 'Commit';
      return { risk: 'high', summary: `${verb} ${what} as ${quoted(message.split('\n', 1)[0] ?? '')}` };
    },
    checkCall({ repository: path, paths }, context) {
      pathArguments(paths);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, message, paths, amend }, context) {
      const selected = paths === undefined ? [] : ['--only', ...pathArguments(paths)];
      return inRepository(parts, context, path, async (repository) => {
        const args = ['commit', '--quiet', '--file=-', '--cleanup=whitespace', '--no-status', '--no-gpg-sign'];
        const options = [
          ...(parts.options.hooks === true ? [] : ['--no-verify']),
          ...(amend === true ? ['--amend'] : []),
        ];
        if (paths !== undefined) await checkFilters(repository, pathArguments(paths));
        const end = await repository.run([...args, ...options, ...selected], {
          work: ['content'],
          input: message,
          logAs: markOf(amend === true ? 'commit (amend)' : 'commit', context.idempotencyKey),
          locksFirst: true,
          okCodes: [0, 1],
        });
        if (end.exitCode !== 0) throw notCommitted(end, repository.workspace.root);
        return resultOf(repository, 'HEAD');
      });
    },
    reconcile: ({ repository: path, amend }, key, context) =>
      reconcileMove(parts, markOf(amend === true ? 'commit (amend)' : 'commit', key), path, context, resultOf),
  });
}

function notCommitted({ stdout, stderr }: GitResult, root: string): KernelError {
  if (stderr.trim() !== '') return gitError({ command: 'commit', stderr, root, locksFirst: true });
  const state = shownText(stdout.toString('utf8'), root);
  const message = `Nothing was committed: stage files first, or name "paths"${state === '' ? '' : `. ${state}`}`;
  return new KernelError('E_GIT_NOTHING', message, { hadNoEffect: true });
}

async function resultOf(repository: Repository, revision: string): Promise<ToolExecutionResult> {
  const { stdout } = await repository.run([
    'log',
    '--max-count=1',
    commitFormat,
    '--no-show-signature',
    revision,
    '--',
  ]);
  const [commit] = readCommits(stdout.toString('utf8'));
  if (commit === undefined) throw new KernelError('E_GIT_FAILED', 'git made a commit that it does not list');
  return toolReply(commitLine(commit), { commit });
}
