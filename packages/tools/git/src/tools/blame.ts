import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { repositoryPath } from '../arguments/repository-path.ts';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { blameText, readBlame } from '../output/blame.ts';
import { refusedKey } from '../private/configured.ts';
import { openRepository } from '../repository/open-repository.ts';
import { repositoryArgument, revisionArgument } from '../schemas.ts';
import { untrusted } from '../run/git-error.ts';

/** Creates `git_blame`. */
export function createBlameTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_blame',
    description: 'Shows for each line of a file which commit wrote it, by whom and when.',
    promptHint: 'git_blame names the commit of a line.',
    risk: 'safe',
    documentation: () =>
      'Looks at the file in the work tree, or as it was at `revision`. `firstLine` and `lastLine` select lines, both included. A line that is ' +
      'not committed has a hash of zeros.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        path: { type: 'string', description: 'File, relative to the top of the repository.' },
        revision: revisionArgument,
        firstLine: { type: 'integer', minimum: 1, maximum: 100_000_000, default: 1 },
        lastLine: { type: 'integer', minimum: 1, maximum: 100_000_000, description: 'Default: the last line.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        lines: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              line: { type: 'integer' },
              hash: { type: 'string' },
              author: { type: 'string' },
              date: { type: 'string' },
              subject: { type: 'string' },
              text: { type: 'string' },
            },
            required: ['line', 'hash', 'author', 'date', 'subject', 'text'],
          },
        },
      },
      required: ['lines'],
    },
    async execute({ repository: folder, path, revision, firstLine = 1, lastLine }, context) {
      if (lastLine !== undefined && lastLine < firstLine) {
        throw new KernelError('E_ARGUMENTS_INVALID', `lastLine ${lastLine} is before firstLine ${firstLine}`, {
          hadNoEffect: true,
        });
      }
      const file = repositoryPath(path);
      using repository = await openRepository(parts, context, folder);
      const refused = refusedKey(repository.config, ['blame']);
      if (refused !== undefined) throw untrusted(`its configuration sets ${refused}, which can quote a file outside`);
      const { stdout } = await repository.run([
        'blame',
        '--porcelain',
        '--no-textconv',
        '-L',
        `${firstLine},${lastLine ?? ''}`,
        ...(revision === undefined ? [] : [checkRevision(revision)]),
        '--',
        file,
      ]);
      const lines = readBlame(stdout.toString('utf8'));
      return toolReply(blameText(lines), { lines });
    },
  });
}
