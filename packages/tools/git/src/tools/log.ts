import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { pathArguments } from '../arguments/repository-path.ts';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { commitFormat, commitLine, readCommits } from '../output/commits.ts';
import { openRepository } from '../repository/open-repository.ts';
import { commitSchema, pathsArgument, repositoryArgument, revisionArgument } from '../schemas.ts';

const text = (description: string) =>
  ({ type: 'string', minLength: 1, maxLength: 200, pattern: '^[^\\n\\r\\0]*$', description }) as const;

/** Creates `git_log`. */
export function createLogTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_log',
    description: 'Lists commits, newest first, with hash, author, date and message.',
    risk: 'safe',
    documentation: () =>
      'Begins at `revision` (the current commit by default). `notIn` leaves out the commits of another branch: `{ revision: "topic", notIn: ' +
      '"main" }`. `author` and `message` are plain text without patterns. `since` and `until` are dates such as "2026-01-31" or "2 weeks ago". ' +
      'A repository without commits has an empty list. `more` is true if there are commits after the last one listed: repeat with `skip`.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        revision: revisionArgument,
        notIn: revisionArgument,
        paths: pathsArgument,
        author: text('Part of the name or e-mail address of the author.'),
        message: text('Part of the message.'),
        since: text('Only commits after this date.'),
        until: text('Only commits before this date.'),
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 20 },
        skip: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { commits: { type: 'array', items: commitSchema }, more: { type: 'boolean' } },
      required: ['commits', 'more'],
    },
    async execute(args, context) {
      const { revision, notIn, paths, author, message, since, until, limit = 20, skip = 0 } = args;
      using repository = await openRepository(parts, context, args.repository);
      if (revision === undefined && (await isEmpty(repository)))
        return toolReply('No commits', { commits: [], more: false });
      const { stdout } = await repository.run([
        'log',
        commitFormat,
        '--no-color',
        '--no-show-signature',
        '--fixed-strings',
        `--max-count=${limit + 1}`,
        `--skip=${skip}`,
        ...(author === undefined ? [] : [`--author=${author}`]),
        ...(message === undefined ? [] : [`--grep=${message}`]),
        ...(since === undefined ? [] : [`--since=${since}`]),
        ...(until === undefined ? [] : [`--until=${until}`]),
        '--end-of-options',
        checkRevision(revision ?? 'HEAD'),
        ...(notIn === undefined ? [] : [`^${checkRevision(notIn, 'notIn')}`]),
        ...pathArguments(paths),
      ]);
      const found = readCommits(stdout.toString('utf8'));
      const commits = found.slice(0, limit);
      const more = found.length > limit;
      const lines = commits.map(commitLine);
      return toolReply(lines.length === 0 ? 'No commits' : [...lines, ...(more ? ['…'] : [])].join('\n'), {
        commits,
        more,
      });
    },
  });
}

async function isEmpty(repository: Awaited<ReturnType<typeof openRepository>>): Promise<boolean> {
  const { exitCode } = await repository.run(['rev-parse', '--quiet', '--verify', 'HEAD'], { okCodes: [0, 1] });
  return exitCode === 1;
}
