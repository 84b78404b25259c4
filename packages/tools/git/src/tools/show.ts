import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { repositoryPath } from '../arguments/repository-path.ts';
import { checkRevision } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { changedLine, readNumstat } from '../output/changed-files.ts';
import { commitFormat, commitLine, readCommits } from '../output/commits.ts';
import { blocksOf, patchValue, writtenBy } from '../output/patch.ts';
import { openRepository } from '../repository/open-repository.ts';
import { plainDiff } from '../run/fixed-options.ts';
import { commitSchema, patchProperties, repositoryArgument, revisionArgument } from '../schemas.ts';

const mediaType = 'text/x-diff';

/** Creates `git_show`. */
export function createShowTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_show',
    description: 'Shows one commit with its patch, or the content of a file as it was in a commit.',
    risk: 'safe',
    documentation: () =>
      'With `path`: the content of that file at `revision`, as text up to 64 KiB; longer and binary content is an artifact. Without: the ' +
      'commit, its files, and its patch compared with its first parent.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        revision: revisionArgument,
        path: { type: 'string', description: 'File, relative to the top of the repository.' },
      },
      required: ['revision'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        commit: commitSchema,
        ...patchProperties,
        content: { type: 'string', description: 'Content of the file. Absent if it is an artifact.' },
        artifact: { type: 'string' },
        contentBytes: { type: 'integer' },
      },
    },
    async execute({ repository: folder, revision, path }, context) {
      checkRevision(revision);
      using repository = await openRepository(parts, context, folder);
      if (path !== undefined) {
        const file = repositoryPath(path);
        const args = ['cat-file', 'blob', `${revision}:${file}`];
        const { text, artifact, bytes, preview } = await writtenBy(
          repository,
          args,
          context,
          nameOf(file),
          'text/plain',
        );
        return toolReply(blocksOf('', { text, artifact, bytes, preview }, 'text/plain'), {
          contentBytes: bytes,
          ...(text === undefined ? {} : { content: text }),
          ...(artifact === undefined ? {} : { artifact }),
        });
      }
      const common = [...plainDiff, '--no-show-signature', '--diff-merges=first-parent'];
      // The commit itself, also for a tag.
      const end = ['--end-of-options', `${revision}^{commit}`, '--'];
      const head = await repository.run(['show', commitFormat, '--no-patch', ...common, ...end]);
      const [commit] = readCommits(head.stdout.toString('utf8'));
      const numbers = await repository.run(['show', '--format=', '--numstat', '-z', ...common, ...end]);
      const files = readNumstat(numbers.stdout.toString('utf8'));
      const args = ['show', '--format=', '--patch', ...common, ...end];
      const patch = await writtenBy(repository, args, context, 'commit.diff', mediaType);
      const title = [...(commit === undefined ? [] : [commitLine(commit), commit.body]), ...files.map(changedLine)];
      return toolReply(blocksOf(title.filter(Boolean).join('\n'), patch, mediaType), {
        commit,
        files,
        ...patchValue(patch),
      });
    },
  });
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? 'file';
}
