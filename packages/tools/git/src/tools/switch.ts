import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName, checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
import { repositoryArgument, revisionArgument } from '../schemas.ts';

/** Creates `git_switch`. */
export function createSwitchTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_switch',
    description: 'Switches the work tree to another branch, or to a new one.',
    risk: 'high',
    documentation: () =>
      'Changes that are not committed move along; if they are in the way, git refuses. `create: true` makes the branch at `start`. `detach: true` ' +
      'takes any commit as `branch`, without a branch. `discardChanges: true` throws away changes that are not committed, which cannot be undone.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        branch: { type: 'string', description: 'Branch; with `detach`, any commit.' },
        create: { type: 'boolean', default: false, description: 'Makes the branch.' },
        start: { ...revisionArgument, description: 'Commit of a new branch. Default: the current one.' },
        detach: { type: 'boolean', default: false },
        discardChanges: { type: 'boolean', default: false },
      },
      required: ['branch'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { branch: { type: 'string' }, head: { type: 'string' } },
      required: ['head'],
    },
    classifyRisk({ branch, create, discardChanges }) {
      const what = `Switch to the ${create === true ? 'new ' : ''}branch ${quoted(branch)}`;
      if (discardChanges === true)
        return { risk: 'critical', summary: `${what} and throw away changes that are not committed` };
      return { risk: 'high', summary: what };
    },
    checkCall({ repository: path, ...change }, context) {
      argumentsOf(change);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, ...change }, context) {
      const args = argumentsOf(change);
      const { branch: name, detach } = change;
      return inRepository(parts, context, path, async (repository) => {
        await repository.run(args, { work: ['content'], locksFirst: true });
        const { stdout } = await repository.run(['rev-parse', 'HEAD']);
        const head = stdout.toString('utf8').trim();
        return toolReply(
          `Switched to ${name}, at ${head.slice(0, 10)}`,
          detach === true ? { head } : { branch: name, head },
        );
      });
    },
  });
}

interface SwitchArguments {
  readonly branch: string;
  readonly create?: boolean;
  readonly start?: string;
  readonly detach?: boolean;
  readonly discardChanges?: boolean;
}

function argumentsOf({ branch, create, start, detach, discardChanges }: SwitchArguments): readonly string[] {
  if (create === true && detach === true) throw invalid('"create" and "detach" exclude each other');
  if (start !== undefined && create !== true) throw invalid('"start" needs "create"');
  const name = detach === true ? checkRevision(branch, 'branch') : checkName(branch, 'branch');
  const target =
    create === true
      ? ['--no-track', `--create=${name}`, '--end-of-options', checkRevision(start ?? 'HEAD', 'start')]
      : [...(detach === true ? ['--detach'] : []), '--end-of-options', name];
  const change = discardChanges === true ? ['--discard-changes'] : [];
  return ['switch', '--quiet', '--no-progress', '--no-recurse-submodules', ...change, ...target];
}

function invalid(problem: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', problem, { hadNoEffect: true });
}
