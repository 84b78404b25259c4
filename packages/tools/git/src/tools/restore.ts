import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted, quotedPaths, toolReply } from '@ravi/tools-kit';
import { pathArguments } from '../arguments/repository-path.ts';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { inRepository } from '../repository/open-repository.ts';
import { pathsArgument, repositoryArgument, revisionArgument } from '../schemas.ts';

/** Creates `git_restore`. */
export function createRestoreTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_restore',
    description: 'Unstages files, or replaces them in the work tree with how they were.',
    risk: 'high',
    idempotent: true,
    documentation: () =>
      '`target: "staged"` takes files out of the next commit and leaves them in the work tree. `target: "worktree"` overwrites files with what is ' +
      'staged, and `target: "both"` with the current commit; `source` names another commit. What was only in the work tree is then lost.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        paths: pathsArgument,
        target: { enum: ['staged', 'worktree', 'both'] },
        source: revisionArgument,
      },
      required: ['paths', 'target'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { restored: { type: 'array', items: { type: 'string' } } },
      required: ['restored'],
    },
    classifyRisk({ paths, target, source }) {
      const from = source === undefined ? '' : ` as in ${quoted(source)}`;
      if (target === 'staged') return { risk: 'high', summary: `Unstage ${quotedPaths(paths)}${from}` };
      return { risk: 'critical', summary: `Throw away changes of ${quotedPaths(paths)}${from}` };
    },
    async execute({ repository: path, paths, target, source }, context) {
      const selected = pathArguments(paths);
      const places = target === 'both' ? ['--staged', '--worktree'] : [`--${target}`];
      const from = source === undefined ? [] : [`--source=${checkRevision(source, 'source')}`];
      return inRepository(parts, context, path, async (repository) => {
        const args = ['restore', '--no-progress', '--no-recurse-submodules', ...places, ...from, ...selected];
        await repository.run(args, { work: ['content'], locksFirst: true });
        const restored = selected.slice(1);
        return toolReply(`Restored ${restored.join(', ')}`, { restored });
      });
    },
  });
}
