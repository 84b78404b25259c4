import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted, quotedPaths, toolReply } from '@ravi/tools-kit';
import { pathArguments, repositoryPath } from '../arguments/repository-path.ts';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
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
    checkCall({ repository: path, ...selection }, context) {
      argumentsOf(selection);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, ...selection }, context) {
      const args = argumentsOf(selection);
      return inRepository(parts, context, path, async (repository) => {
        await repository.run(args, { work: ['content'], locksFirst: true });
        const restored = selection.paths.map(repositoryPath);
        return toolReply(`Restored ${restored.join(', ')}`, { restored });
      });
    },
  });
}

interface RestoreSelection {
  readonly paths: readonly string[];
  readonly target: 'staged' | 'worktree' | 'both';
  readonly source?: string;
}

function argumentsOf({ paths, target, source }: RestoreSelection): readonly string[] {
  const selected = pathArguments(paths);
  const places = target === 'both' ? ['--staged', '--worktree'] : [`--${target}`];
  const from = source === undefined ? [] : [`--source=${checkRevision(source, 'source')}`];
  return ['restore', '--no-progress', '--no-recurse-submodules', ...places, ...from, ...selected];
}
