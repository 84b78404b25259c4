import { defineTool, KernelError } from '@ravi/kernel';
import type { RiskAssessment, Tool, ToolExecutionResult } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName, checkRevision } from '../arguments/revision.ts';
import type { GitContext, GitParts } from '../options.ts';
import { checkRepository, inRepository, openRepository } from '../repository/open-repository.ts';
import { repositoryArgument, revisionArgument } from '../schemas.ts';

const format = ['%(refname:short)', '%(objectname)', '%(HEAD)', '%(upstream:short)', '%(contents:subject)'].join('%00');

interface Branch {
  readonly name: string;
  readonly hash: string;
  readonly current: boolean;
  readonly upstream?: string;
  readonly subject: string;
}

interface BranchArguments {
  readonly action: 'list' | 'create' | 'delete' | 'rename';
  readonly name?: string;
  readonly newName?: string;
  readonly start?: string;
  readonly force?: boolean;
  readonly remote?: boolean;
}

/** Creates `git_branch`. */
export function createBranchTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_branch',
    description: 'Lists, creates, renames or deletes branches. It does not switch to one.',
    risk: 'safe',
    documentation: () =>
      '`list` needs nothing else; `remote: true` lists the branches of remotes as they were last fetched. `create` takes `name` and `start`. ' +
      '`rename` takes `name` and `newName`. `delete` takes `name`, and refuses a branch whose commits are on no other branch, unless `force` is ' +
      'true: that cannot be undone.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        action: { enum: ['list', 'create', 'delete', 'rename'] },
        name: { type: 'string', description: 'Branch. Required except for list.' },
        newName: { type: 'string', description: 'New name, for rename.' },
        start: { ...revisionArgument, description: 'Commit of a new branch. Default: the current one.' },
        force: { type: 'boolean', default: false, description: 'Deletes a branch with commits that are nowhere else.' },
        remote: { type: 'boolean', default: false, description: 'Lists the branches of remotes.' },
      },
      required: ['action'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        branches: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              hash: { type: 'string' },
              current: { type: 'boolean' },
              upstream: { type: 'string' },
              subject: { type: 'string' },
            },
            required: ['name', 'hash', 'current', 'subject'],
          },
        },
        branch: { type: 'string' },
      },
    },
    classifyRisk: riskOf,
    checkCall({ repository: path, ...args }, context) {
      if (args.action !== 'list') changeOf(args);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, ...args }, context) {
      if (args.action === 'list') return list(parts, context, path, args.remote === true);
      const { change, branch } = changeOf(args);
      return inRepository(parts, context, path, async (repository) => {
        await repository.run(['branch', ...change], { work: [], locksFirst: true });
        return toolReply(`${summaryOf(args)}: done`, { branch });
      });
    },
  });
}

function riskOf(args: BranchArguments): RiskAssessment {
  if (args.action === 'list') return { risk: 'safe', summary: 'List branches' };
  const isFinal = args.action === 'delete' && args.force === true;
  return { risk: isFinal ? 'critical' : 'high', summary: summaryOf(args) };
}

function summaryOf({ action, name = '', newName = '', start = 'the current commit', force }: BranchArguments): string {
  if (action === 'create') return `Create the branch ${quoted(name)} at ${quoted(start)}`;
  if (action === 'rename') return `Rename the branch ${quoted(name)} to ${quoted(newName)}`;
  return `Delete the branch ${quoted(name)}${force === true ? ', even if its commits are on no other branch' : ''}`;
}

function changeOf({ action, name, newName, start, force }: BranchArguments): { change: string[]; branch: string } {
  if (name === undefined) throw missing(action, 'name');
  const branch = checkName(name, 'name');
  if (action === 'delete')
    return { change: ['--delete', ...(force === true ? ['--force'] : []), '--', branch], branch };
  if (action === 'create') {
    return { change: ['--no-track', '--', branch, checkRevision(start ?? 'HEAD', 'start')], branch };
  }
  if (newName === undefined) throw missing(action, 'newName');
  return { change: ['--move', '--', branch, checkName(newName, 'newName')], branch: newName };
}

function missing(action: string, argument: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', `The action ${action} needs "${argument}"`, { hadNoEffect: true });
}

async function list(
  parts: GitParts,
  context: GitContext,
  path: string | undefined,
  remote: boolean,
): Promise<ToolExecutionResult> {
  using repository = await openRepository(parts, context, path);
  const { stdout } = await repository.run([
    'for-each-ref',
    `--format=${format}`,
    remote ? 'refs/remotes' : 'refs/heads',
  ]);
  const branches = stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): Branch => {
      const [name = '', hash = '', head = '', upstream = '', subject = ''] = line.split('\0');
      return { name, hash, current: head === '*', subject, ...(upstream === '' ? {} : { upstream }) };
    });
  const lines = branches.map(
    ({ name, hash, current, subject }) => `${current ? '*' : ' '} ${name} ${hash.slice(0, 10)} ${subject}`,
  );
  return toolReply(lines.length === 0 ? 'No branches' : lines.join('\n'), { branches });
}
