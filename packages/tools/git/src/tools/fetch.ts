import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { checkCallRemote, checkNamedRemote } from '../remote/check-remote.ts';
import { withTransferLimit } from '../remote/transfer-limit.ts';
import { inRepository } from '../repository/open-repository.ts';
import { otherSide } from '../run/fixed-options.ts';
import { repositoryArgument } from '../schemas.ts';

const refFormat = '--format=%(refname:short)%00%(objectname)';

/** Creates `git_fetch`. */
export function createFetchTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_fetch',
    description: 'Fetches the branches of a remote. The work tree and your local branches stay as they are.',
    risk: 'high',
    idempotent: true,
    managesOwnTimeout: true,
    documentation: () =>
      'Updates `<remote>/<branch>` for each branch, or only for `branch`. The current branch stays as it is. `prune: true` removes those ' +
      'that the remote no longer has.',
    inputSchema: {
      type: 'object',
      properties: {
        repository: repositoryArgument,
        remote: { type: 'string', default: 'origin' },
        branch: { type: 'string', description: 'One branch of the remote. Default: all.' },
        prune: { type: 'boolean', default: false },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        updated: {
          type: 'array',
          items: {
            type: 'object',
            properties: { branch: { type: 'string' }, before: { type: 'string' }, after: { type: 'string' } },
            required: ['branch'],
          },
        },
      },
      required: ['updated'],
    },
    classifyRisk: ({ remote = 'origin', branch }) => ({
      risk: 'high',
      summary: `Fetch ${branch === undefined ? 'all branches' : quoted(branch)} of the remote ${quoted(remote)}`,
    }),
    checkCall({ repository: path, branch, ...args }, context) {
      const { remote } = namesOf(args.remote, branch);
      return checkCallRemote(parts, context, path, { remote, isPush: false });
    },
    async execute({ repository: path, branch, prune, ...args }, context) {
      const { remote, name } = namesOf(args.remote, branch);
      return withTransferLimit(parts, context, (limited) =>
        inRepository(parts, limited, path, async (repository) => {
          using checked = await checkNamedRemote(parts, limited, repository, remote, false);
          const list = async (): Promise<Map<string, string>> => {
            const { stdout } = await repository.run(['for-each-ref', refFormat, `refs/remotes/${remote}/`]);
            const lines = stdout.toString('utf8').split('\n').filter(Boolean);
            return new Map(lines.map((line) => line.split('\0') as [string, string]));
          };
          const before = await list();
          await repository.run(
            [
              'fetch',
              '--quiet',
              '--no-recurse-submodules',
              '--no-auto-maintenance',
              '--no-write-commit-graph',
              '--refmap=',
              prune === true ? '--prune' : '--no-prune',
              otherSide('upload-pack', checked.data?.commonFolder),
              '--end-of-options',
              remote,
              `+refs/heads/${name}:refs/remotes/${remote}/${name}`,
            ],
            // Otherwise the log has the arguments, with the path of a private folder.
            { work: ['network'], other: checked, logAs: `fetch ${remote}` },
          );
          const after = await list();
          const names = [...new Set([...before.keys(), ...after.keys()])].filter(
            (each) => before.get(each) !== after.get(each),
          );
          const updated = names.toSorted().map((each) => ({
            branch: each,
            ...(before.has(each) ? { before: before.get(each) } : {}),
            ...(after.has(each) ? { after: after.get(each) } : {}),
          }));
          return toolReply(names.length === 0 ? 'Nothing new' : `Updated: ${names.join(', ')}`, { updated });
        }),
      );
    },
  });
}

function namesOf(remote = 'origin', branch: string | undefined): { readonly remote: string; readonly name: string } {
  return { remote: checkName(remote, 'remote'), name: branch === undefined ? '*' : checkName(branch, 'branch') };
}
