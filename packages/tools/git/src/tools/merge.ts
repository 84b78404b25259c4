import { defineTool, KernelError } from '@ravi/kernel';
import type { RiskAssessment, Tool } from '@ravi/kernel';
import { quoted } from '@ravi/tools-kit';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { doneAt, outcomeOf, outcomeSchema } from '../head/combine-outcome.ts';
import { markOf, reconcileMove } from '../head/marked-move.ts';
import { checkRepository, inRepository } from '../repository/open-repository.ts';
import { repositoryArgument, revisionArgument } from '../schemas.ts';

interface MergeArguments {
  readonly action?: 'start' | 'continue' | 'abort';
  readonly revision?: string;
  readonly fastForward?: 'allow' | 'never' | 'only';
  readonly message?: string;
}

/** Creates `git_merge`. */
export function createMergeTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_merge',
    description: 'Merges another branch into the current one.',
    risk: 'high',
    documentation: () =>
      'Conflicts are not an error: the result lists the files, with the conflict marks of git in them. Edit them, stage them, then ' +
      '`action: "continue"`. `action: "abort"` goes back to how it was before, and throws the resolutions away. `fastForward: "never"` always ' +
      'makes a commit, `"only"` never does.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        action: { enum: ['start', 'continue', 'abort'], default: 'start' },
        revision: { ...revisionArgument, description: 'Branch or commit to merge. Required to start.' },
        fastForward: { enum: ['allow', 'never', 'only'], default: 'allow' },
        message: {
          type: 'string',
          minLength: 1,
          maxLength: 65_536,
          pattern: '^[^\\0]*$',
          description: 'Message of the commit.',
        },
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
        const logAs = markOf('merge', context.idempotencyKey);
        const end = await repository.run(['merge', ...args], { work: ['content', 'merge'], okCodes: [0, 1], logAs });
        return outcomeOf(repository, 'merge', end);
      });
    },
    async reconcile({ repository: path }, key, context) {
      // Without a mark it may have stopped at a conflict, or before it began.
      const answer = await reconcileMove(parts, markOf('merge', key), path, context, doneAt);
      return answer === 'unknown' || answer.happened ? answer : 'unknown';
    },
  });
}

function argumentsOf({
  action = 'start',
  revision,
  fastForward = 'allow',
  message,
}: MergeArguments): readonly string[] {
  if (action !== 'start') return [`--${action}`];
  if (revision === undefined) {
    throw new KernelError('E_ARGUMENTS_INVALID', 'The action start needs "revision"', { hadNoEffect: true });
  }
  return [
    '--quiet',
    '--no-edit',
    '--no-stat',
    '--no-verify-signatures',
    '--no-gpg-sign',
    '--no-autostash',
    { allow: '--ff', never: '--no-ff', only: '--ff-only' }[fastForward],
    ...(message === undefined ? [] : ['-m', message]),
    '--end-of-options',
    checkRevision(revision),
  ];
}

function riskOf({ action = 'start', revision = '' }: MergeArguments): RiskAssessment {
  if (action === 'abort') return { risk: 'critical', summary: 'Give up the merge and throw its resolutions away' };
  if (action === 'continue') return { risk: 'high', summary: 'Commit the merge' };
  return { risk: 'high', summary: `Merge ${quoted(revision)} into the current branch` };
}
