import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { pathArguments } from '../arguments/repository-path.ts';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { changedLine, readNumstat } from '../output/changed-files.ts';
import { blocksOf, patchValue, writtenBy } from '../output/patch.ts';
import { openRepository } from '../repository/open-repository.ts';
import { plainDiff } from '../run/fixed-options.ts';
import { patchProperties, pathsArgument, repositoryArgument, revisionArgument } from '../schemas.ts';

const mediaType = 'text/x-diff';

/** Creates `git_diff`. */
export function createDiffTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_diff',
    description:
      'Shows changes as a patch: in the work tree, staged ones, or between two revisions. Untracked files are not included.',
    risk: 'safe',
    documentation: () =>
      'Without arguments: the changes that are not staged. `staged: true`: those that the next commit will have. `from`: the work tree compared ' +
      'with that revision. `from` and `to`: two revisions; `sinceFork: true` compares `to` with the commit at which it left `from`. A patch of ' +
      'more than 64 KiB is an artifact; `files` always has all files with their numbers of lines.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        staged: { type: 'boolean', default: false, description: 'Changes that the next commit will have.' },
        from: revisionArgument,
        to: revisionArgument,
        sinceFork: { type: 'boolean', default: false, description: 'Only what `to` has changed since it left `from`.' },
        paths: pathsArgument,
        contextLines: { type: 'integer', minimum: 0, maximum: 1000, default: 3 },
      },
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: patchProperties, required: ['files', 'patchBytes'] },
    async execute({ repository: path, staged, from, to, sinceFork, paths, contextLines = 3 }, context) {
      const revisions = revisionsOf(staged === true, from, to, sinceFork === true);
      using repository = await openRepository(parts, context, path);
      const end = [...plainDiff, ...revisions, ...pathArguments(paths)];
      const { stdout } = await repository.run(['diff', '--numstat', '-z', ...end]);
      const files = readNumstat(stdout.toString('utf8'));
      const args = ['diff', `--unified=${contextLines}`, ...end];
      const patch = await writtenBy(repository, args, context, 'changes.diff', mediaType);
      const title = files.length === 0 ? 'No changes' : files.map(changedLine).join('\n');
      return toolReply(blocksOf(title, patch, mediaType), { files, ...patchValue(patch) });
    },
  });
}

function revisionsOf(staged: boolean, from: string | undefined, to: string | undefined, sinceFork: boolean): string[] {
  if (to !== undefined && (from === undefined || staged)) throw invalid('"to" needs "from", and not "staged"');
  if (sinceFork && to === undefined) throw invalid('"sinceFork" needs "from" and "to"');
  const options = [...(staged ? ['--cached'] : []), ...(sinceFork ? ['--merge-base'] : [])];
  const names = [from, to].flatMap((revision) => revision ?? []).map((revision) => checkRevision(revision));
  return [...options, '--end-of-options', ...names];
}

function invalid(problem: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', problem, { hadNoEffect: true });
}
