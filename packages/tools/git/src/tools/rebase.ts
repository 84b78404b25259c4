import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, KernelError } from '@ravi/kernel';
import type { RiskAssessment, Tool } from '@ravi/kernel';
import { quoted } from '@ravi/tools-kit';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { outcomeOf, outcomeSchema } from '../head/combine-outcome.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
import type { Repository } from '../repository/open-repository.ts';
import { repositoryArgument, revisionArgument } from '../schemas.ts';
import { untrusted } from '../run/git-error.ts';

interface RebaseArguments {
  readonly action?: 'start' | 'continue' | 'skip' | 'abort';
  readonly onto?: string;
}

const steps = /^(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|noop)(?:\s|$)/;
const strategies: ReadonlySet<string> = new Set(['ort', 'recursive', 'resolve', 'octopus', 'ours', 'subtree']);
const refusedState = ['rebase-merge/strategy_opts', 'rebase-merge/gpg_sign_opt', 'rebase-apply'];

/** Creates `git_rebase`. */
export function createRebaseTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_rebase',
    description: 'Moves the commits of the current branch onto another commit.',
    risk: 'high',
    documentation: () =>
      'Conflicts are not an error: the result lists the files. Edit them, stage them, then `action: "continue"`; `"skip"` leaves out ' +
      'the commit in conflict, and `"abort"` goes back to the branch as it was. Changes that are not committed have to be committed or put aside ' +
      'before. The old commits stay in the log of HEAD.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        action: { enum: ['start', 'continue', 'skip', 'abort'], default: 'start' },
        onto: { ...revisionArgument, description: 'Commit or branch to build on. Required to start.' },
      },
      additionalProperties: false,
    },
    outputSchema: outcomeSchema,
    classifyRisk: riskOf,
    checkCall({ repository: path, ...args }, context) {
      argumentsOf(args);
      return checkRepository(parts, context, path);
    },
    async execute({ repository: path, ...how }, context) {
      const args = argumentsOf(how);
      return inRepository(parts, context, path, async (repository) => {
        if (how.action !== undefined && how.action !== 'start') await checkState(repository);
        const end = await repository.run(['rebase', ...args], { work: ['content', 'merge'], okCodes: [0, 1] });
        return outcomeOf(repository, 'rebase', end);
      });
    },
  });
}

function argumentsOf({ action = 'start', onto }: RebaseArguments): readonly string[] {
  if (action !== 'start') return [`--${action}`];
  if (onto === undefined) {
    throw new KernelError('E_ARGUMENTS_INVALID', 'The action start needs "onto"', { hadNoEffect: true });
  }
  const revision = checkRevision(onto, 'onto');
  return ['--merge', '--no-autostash', '--no-gpg-sign', '--no-stat', '--end-of-options', revision];
}

function riskOf({ action = 'start', onto = '' }: RebaseArguments): RiskAssessment {
  if (action === 'abort') return { risk: 'critical', summary: 'Give up the rebase and throw its resolutions away' };
  if (action === 'skip') return { risk: 'critical', summary: 'Leave the commit in conflict out of the rebase' };
  if (action === 'continue') return { risk: 'high', summary: 'Continue the rebase' };
  return { risk: 'high', summary: `Move the commits of the current branch onto ${quoted(onto)}` };
}

/** A rebase that another program began may have steps and options that start programs. */
async function checkState({ gitFolder }: Repository): Promise<void> {
  const exists = async (path: string): Promise<boolean> =>
    (await lstat(join(gitFolder, path)).catch(() => undefined)) !== undefined;
  for (const path of refusedState)
    if (await exists(path)) throw untrusted(`its rebase has "${path}", which is not one of this tool`);
  if (await exists('rebase-merge/strategy')) {
    // git takes any other name for a program.
    const text = await readFile(join(gitFolder, 'rebase-merge/strategy'), 'utf8').catch(() => '');
    const strategy = text.replace(/\n$/, '');
    if (!strategies.has(strategy)) throw untrusted(`its rebase has the strategy ${quoted(strategy)}`);
  }
  const text = await readFile(join(gitFolder, 'rebase-merge/git-rebase-todo'), 'utf8').catch(() => '');
  const foreign = text
    .split('\n')
    .find((line) => line.trim() !== '' && !line.startsWith('#') && !steps.test(line.trim()));
  if (foreign !== undefined)
    throw untrusted(`its rebase has the step ${quoted(foreign.trim())}, which is not one of this tool`);
}
