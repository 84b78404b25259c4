import { defineTool } from '@ravi/kernel';
import type { Tool, ToolExecutionResult } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { markOf, reconcileMove } from '../head/marked-move.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
import type { Repository } from '../repository/open-repository.ts';
import { repositoryArgument, revisionArgument } from '../schemas.ts';

/** Creates `git_reset`. */
export function createResetTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_reset',
    description: 'Moves the current branch to another commit.',
    risk: 'high',
    documentation: () =>
      '`soft` keeps the files and what is staged. `mixed` keeps the files and stages nothing. `hard` makes the files like the commit, and throws ' +
      'changes that are not committed away.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        mode: { enum: ['soft', 'mixed', 'hard'] },
        revision: revisionArgument,
      },
      required: ['mode', 'revision'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { head: { type: 'string' } }, required: ['head'] },
    classifyRisk({ mode, revision }) {
      const what = `Move the current branch to ${quoted(revision)}`;
      if (mode === 'hard')
        return { risk: 'critical', summary: `${what} and throw away changes that are not committed` };
      return { risk: 'high', summary: `${what} (${mode})` };
    },
    checkCall({ repository: path, revision }, context) {
      checkRevision(revision);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, mode, revision }, context) {
      checkRevision(revision);
      return inRepository(parts, context, path, async (repository) => {
        const args = ['reset', '--quiet', `--${mode}`, '--no-recurse-submodules', `${revision}^{commit}`, '--'];
        await repository.run(args, {
          work: ['content'],
          logAs: markOf('reset', context.idempotencyKey),
          locksFirst: true,
        });
        return headOf(repository);
      });
    },
    reconcile: async ({ repository: path, mode }, key, context) => {
      // The files are written before the branch moves, so only a reset that keeps them is known to be complete or not begun.
      const answer = await reconcileMove(parts, markOf('reset', key), path, context, headOf);
      return answer !== 'unknown' && !answer.happened && mode === 'hard' ? 'unknown' : answer;
    },
  });
}

async function headOf(repository: Repository): Promise<ToolExecutionResult> {
  const { stdout } = await repository.run(['rev-parse', 'HEAD']);
  const head = stdout.toString('utf8').trim();
  return toolReply(`The current commit is ${head.slice(0, 10)}`, { head });
}
