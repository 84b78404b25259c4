import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quotedPaths, toolReply } from '@ravi/tools-kit';
import { pathArguments } from '../arguments/repository-path.ts';
import type { GitParts } from '../options.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
import { pathsArgument, repositoryArgument } from '../schemas.ts';

/** Creates `git_clean`. */
export function createCleanTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_clean',
    description: 'Deletes files that git does not know, or lists them with `dryRun`.',
    risk: 'safe',
    documentation: () =>
      'Deletes untracked files, and with `folders: true` untracked folders. `ignored: true` includes ignored files, such as build results and ' +
      'local settings. Other repositories inside are left alone. Deleted files cannot be brought back: call it with `dryRun: true` first.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        paths: pathsArgument,
        folders: { type: 'boolean', default: false },
        ignored: { type: 'boolean', default: false },
        dryRun: { type: 'boolean', default: false, description: 'Deletes nothing.' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { deleted: { type: 'array', items: { type: 'string' } }, dryRun: { type: 'boolean' } },
      required: ['deleted', 'dryRun'],
    },
    classifyRisk({ paths, folders, ignored, dryRun }) {
      const what = `untracked files${folders === true ? ' and folders' : ''}${ignored === true ? ', ignored ones too' : ''}`;
      const place = paths === undefined ? '' : ` in ${quotedPaths(paths)}`;
      if (dryRun === true) return { risk: 'safe', summary: `List ${what}${place}` };
      return { risk: 'critical', summary: `Delete ${what}${place}` };
    },
    checkCall({ repository: path, paths }, context) {
      pathArguments(paths);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, paths, folders, ignored, dryRun }, context) {
      const options = [...(folders === true ? ['-d'] : []), ...(ignored === true ? ['-x'] : [])];
      const selected = pathArguments(paths);
      return inRepository(parts, context, path, async (repository) => {
        const mode = dryRun === true ? '--dry-run' : '--force';
        const { stdout } = await repository.run(['clean', mode, ...options, ...selected], { work: ['content'] });
        const lines = stdout.toString('utf8').split('\n');
        const deleted = lines.flatMap((line) => /^(?:Removing|Would remove) (.*)$/.exec(line)?.[1] ?? []);
        const text = deleted.length === 0 ? 'Nothing to delete' : lines.filter(Boolean).join('\n');
        return toolReply(text, { deleted, dryRun: dryRun === true });
      });
    },
  });
}
