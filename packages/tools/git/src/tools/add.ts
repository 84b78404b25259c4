import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quotedPaths, toolReply } from '@ravi/tools-kit';
import { pathArguments } from '../arguments/repository-path.ts';
import type { GitParts } from '../options.ts';
import { checkFilters } from '../repository/check-filters.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
import { pathsArgument, repositoryArgument } from '../schemas.ts';

/** Creates `git_add`. */
export function createAddTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_add',
    description: 'Stages files for the next commit: changed, new and deleted ones.',
    risk: 'high',
    idempotent: true,
    documentation: () =>
      'Stages each of `paths` as it is now, and everything below a folder; `["."]` is the whole repository. An ignored file is refused, and so is one whose attributes name a filter, such as that of Git LFS.',
    inputSchema: {
      type: 'object',
      properties: { repository: repositoryArgument, paths: pathsArgument },
      required: ['paths'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        staged: { type: 'array', items: { type: 'string' }, description: 'All files that are staged now.' },
      },
      required: ['staged'],
    },
    classifyRisk: ({ paths }) => ({ risk: 'high', summary: `Stage ${quotedPaths(paths)}` }),
    checkCall({ repository: path, paths }, context) {
      pathArguments(paths);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, paths }, context) {
      const selected = pathArguments(paths);
      return inRepository(parts, context, path, async (repository) => {
        await checkFilters(repository, selected);
        await repository.run(['add', '--all', ...selected], { work: ['content'], locksFirst: true });
        const args = [
          'diff',
          '--cached',
          '--name-only',
          '--no-renames',
          '-z',
          '--no-ext-diff',
          '--ignore-submodules=dirty',
        ];
        const { stdout } = await repository.run(args);
        const staged = stdout.toString('utf8').split('\0').filter(Boolean);
        return toolReply(staged.length === 0 ? 'Nothing is staged' : `Staged:\n${staged.join('\n')}`, { staged });
      });
    },
  });
}
