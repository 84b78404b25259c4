import { defineTool } from '@ravi/kernel';
import type { Tool, ToolExecutionResult } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { checkCallRemote, checkNamedRemote } from '../remote/check-remote.ts';
import type { CheckedRemote } from '../remote/check-remote.ts';
import { inRepository, openRepository } from '../repository/open-repository.ts';
import type { Repository } from '../repository/open-repository.ts';
import { otherSide } from '../run/fixed-options.ts';
import { repositoryArgument } from '../schemas.ts';

/** Creates `git_push`. */
export function createPushTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_push',
    description: 'Sends a branch to a remote.',
    promptHint: 'Call git_push only if the user asks for it.',
    risk: 'critical',
    documentation: () =>
      'Sends `branch` to the branch `to` of the remote, which has the same name by default. The remote refuses it if it has commits that the ' +
      'branch does not: fetch, then merge or rebase. `force: true` replaces them, but only if the remote is as it was last fetched. ' +
      '`setUpstream: true` makes it the upstream of the branch. After a crash the remote is asked whether it has the commit.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        branch: { type: 'string' },
        remote: { type: 'string', default: 'origin' },
        to: { type: 'string', description: 'Branch of the remote. Default: the same name.' },
        force: { type: 'boolean', default: false },
        setUpstream: { type: 'boolean', default: false },
      },
      required: ['branch'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { remote: { type: 'string' }, branch: { type: 'string' }, hash: { type: 'string' } },
      required: ['remote', 'branch', 'hash'],
    },
    classifyRisk({ branch, remote = 'origin', to = branch, force }) {
      const what = `Push ${quoted(branch)} to the branch ${quoted(to)} of the remote ${quoted(remote)}`;
      return { risk: 'critical', summary: force === true ? `${what}, replacing the commits that are there` : what };
    },
    checkCall({ repository: path, branch, remote = 'origin', to = branch }, context) {
      checkNames(branch, remote, to);
      return checkCallRemote(parts, context, path, { remote, isPush: true });
    },
    async execute({ repository: path, branch, remote = 'origin', to = branch, force, setUpstream }, context) {
      checkNames(branch, remote, to);
      return inRepository(parts, context, path, async (repository) => {
        using checked = await checkNamedRemote(parts, context, repository, remote, true);
        await repository.run(
          [
            'push',
            '--quiet',
            '--no-recurse-submodules',
            '--no-follow-tags',
            '--no-signed',
            ...(force === true ? [`--force-with-lease=refs/heads/${to}`] : []),
            ...(setUpstream === true ? ['--set-upstream'] : []),
            otherSide('receive-pack', checked.data?.commonFolder),
            '--end-of-options',
            remote,
            `refs/heads/${branch}:refs/heads/${to}`,
          ],
          { work: ['network'], other: checked },
        );
        return pushed(remote, to, await hashOf(repository, branch));
      });
    },
    async reconcile({ repository: path, branch, remote = 'origin', to = branch }, _key, context) {
      checkNames(branch, remote, to);
      using repository = await openRepository(parts, context, path);
      using checked = await checkNamedRemote(parts, context, repository, remote, true);
      const hash = await hashOf(repository, branch);
      const isThere = (await remoteHash(repository, checked, to)) === hash;
      return isThere ? { happened: true, result: pushed(remote, to, hash) } : { happened: false };
    },
  });
}

function checkNames(branch: string, remote: string, to: string): void {
  checkName(branch, 'branch');
  checkName(remote, 'remote');
  checkName(to, 'to');
}

function pushed(remote: string, branch: string, hash: string): ToolExecutionResult {
  return toolReply(`The branch ${branch} of ${remote} is at ${hash.slice(0, 10)}`, { remote, branch, hash });
}

async function hashOf(repository: Repository, branch: string): Promise<string> {
  const { stdout } = await repository.run(['rev-parse', '--verify', '--end-of-options', `refs/heads/${branch}`]);
  return stdout.toString('utf8').trim().split('\n').at(-1) ?? '';
}

/** Returns the commit of a branch of the other repository; an empty text if there is none. */
async function remoteHash(repository: Repository, checked: CheckedRemote, branch: string): Promise<string> {
  const args = [
    'ls-remote',
    otherSide('upload-pack', checked.data?.commonFolder),
    '--end-of-options',
    checked.url,
    `refs/heads/${branch}`,
  ];
  const { stdout } = await repository.run(args, { work: ['network'], other: checked });
  return stdout.toString('utf8').split('\t', 1)[0] ?? '';
}
