import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import type { GitParts } from '../options.ts';
import { readStatus, statusText } from '../output/status.ts';
import { openRepository } from '../repository/open-repository.ts';
import type { Repository } from '../repository/open-repository.ts';
import { repositoryArgument } from '../schemas.ts';

const operations = [
  ['merge', 'MERGE_HEAD'],
  ['rebase', 'rebase-merge'],
  ['rebase', 'rebase-apply'],
] as const;

/** Creates `git_status`. */
export function createStatusTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_status',
    description: 'Shows the branch of a git repository and the files that differ from its last commit.',
    promptHint: 'Look at git_status before a commit.',
    risk: 'safe',
    documentation: () =>
      'Returns the branch, its upstream, and each file that is staged, changed, untracked or in conflict. `operation` names a merge or rebase ' +
      'that is not finished. Changes inside submodules are not looked at.',
    inputSchema: {
      type: 'object',
      properties: { repository: repositoryArgument },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        branch: { type: 'string' },
        head: { type: 'string' },
        upstream: { type: 'string' },
        toPush: { type: 'integer', description: 'Commits that the upstream does not have.' },
        toPull: { type: 'integer', description: 'Commits that only the upstream has.' },
        operation: { enum: ['merge', 'rebase'] },
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string' },
              from: { type: 'string' },
              state: { enum: ['changed', 'untracked', 'conflict'] },
              staged: { type: 'string' },
              unstaged: { type: 'string' },
            },
            required: ['path', 'state'],
          },
        },
      },
      required: ['files'],
    },
    async execute({ repository: path }, context) {
      using repository = await openRepository(parts, context, path);
      const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--ignore-submodules=dirty'];
      const { stdout } = await repository.run(args);
      const status = readStatus(stdout.toString('utf8'));
      const operation = await operationOf(repository);
      const note = operation === undefined ? '' : `\nA ${operation} is not finished`;
      return toolReply(`${statusText(status)}${note}`, {
        ...status,
        ...(operation === undefined ? {} : { operation }),
      });
    },
  });
}

async function operationOf({ gitFolder }: Repository): Promise<string | undefined> {
  for (const [operation, file] of operations) {
    if ((await lstat(join(gitFolder, file)).catch(() => undefined)) !== undefined) return operation;
  }
  return undefined;
}
