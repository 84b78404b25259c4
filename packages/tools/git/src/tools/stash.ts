import { defineTool } from '@ravi/kernel';
import type { RiskAssessment, Tool } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { pathArguments } from '../arguments/repository-path.ts';
import type { GitParts } from '../options.ts';
import { checkRepository, inRepository, openRepository } from '../repository/open-repository.ts';
import type { Repository } from '../repository/open-repository.ts';
import { literalPath } from '../run/fixed-options.ts';
import { pathsArgument, repositoryArgument } from '../schemas.ts';

type StashAction = 'list' | 'push' | 'apply' | 'pop' | 'drop';

interface StashEntry {
  readonly index: number;
  readonly hash: string;
  readonly date: string;
  readonly subject: string;
}

/** Creates `git_stash`. */
export function createStashTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_stash',
    description: 'Puts changes that are not committed aside, and brings them back.',
    risk: 'safe',
    documentation: () =>
      '`push` puts changes aside, of `paths` or of all files; `untracked: true` includes new files. `list` shows what was put aside, the newest ' +
      'with index 0. `apply` brings an entry back and keeps it, `pop` removes it after that, `drop` removes it for good.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        action: { enum: ['list', 'push', 'apply', 'pop', 'drop'] },
        message: {
          type: 'string',
          minLength: 1,
          maxLength: 500,
          pattern: '^[^\\n\\r\\0]*$',
          description: 'Text of a new entry.',
        },
        untracked: { type: 'boolean', default: false },
        paths: pathsArgument,
        index: {
          type: 'integer',
          minimum: 0,
          maximum: 10_000,
          default: 0,
          description: 'Entry to apply, pop or drop.',
        },
      },
      required: ['action'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        entries: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              index: { type: 'integer' },
              hash: { type: 'string' },
              date: { type: 'string' },
              subject: { type: 'string' },
            },
            required: ['index', 'hash', 'date', 'subject'],
          },
        },
      },
      required: ['entries'],
    },
    classifyRisk: ({ action, index = 0, message }) => riskOf(action, index, message),
    checkCall({ repository: path, paths }, context) {
      pathArguments(paths);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, action, message, untracked, paths, index = 0 }, context) {
      if (action === 'list') {
        using repository = await openRepository(parts, context, path);
        return await entriesOf(repository);
      }
      const selected = pathArguments(paths);
      const args =
        action === 'push'
          ? [
              ...(untracked === true ? ['--include-untracked'] : []),
              ...(message === undefined ? [] : [`--message=${message}`]),
              ...(paths === undefined ? [] : ['--', ...selected.slice(1).map(literalPath)]),
            ]
          : [...(action === 'drop' ? [] : ['--index']), `stash@{${index}}`];
      return inRepository(parts, context, path, async (repository) => {
        // For untracked files it starts `git clean` with a pattern.
        await repository.run(['stash', action, '--quiet', ...args], {
          work: ['content', 'merge'],
          literalPaths: false,
        });
        return entriesOf(repository);
      });
    },
  });
}

function riskOf(action: StashAction, index: number, message: string | undefined): RiskAssessment {
  const entry = `entry ${index} of what was put aside`;
  if (action === 'list') return { risk: 'safe', summary: 'List what was put aside' };
  if (action === 'push')
    return { risk: 'high', summary: `Put changes aside${message === undefined ? '' : ` as ${quoted(message)}`}` };
  if (action === 'drop') return { risk: 'critical', summary: `Remove ${entry} for good` };
  return { risk: 'high', summary: `Bring back ${entry}` };
}

async function entriesOf(repository: Repository): Promise<ReturnType<typeof toolReply>> {
  const { stdout } = await repository.run(['stash', 'list', '--format=%H%x00%aI%x00%gs%x00']);
  const fields = stdout.toString('utf8').split('\0');
  const entries: StashEntry[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [hash = '', date = '', subject = ''] = fields.slice(at, at + 3);
    entries.push({ index: at / 3, hash: hash.trim(), date, subject });
  }
  const lines = entries.map(({ index, date, subject }) => `${index} ${date} ${subject}`);
  return toolReply(lines.length === 0 ? 'Nothing is put aside' : lines.join('\n'), { entries });
}
