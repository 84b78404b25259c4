import { readdir } from 'node:fs/promises';
import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool, ToolExecutionResult } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { checkRemote } from '../remote/check-remote.ts';
import { withTransferLimit } from '../remote/transfer-limit.ts';
import type { TransferContext } from '../remote/transfer-limit.ts';
import { newFolder } from '../repository/new-folder.ts';
import { openRepository } from '../repository/open-repository.ts';
import { fixedOptions, otherSide } from '../run/fixed-options.ts';
import { gitEnvironment } from '../run/git-environment.ts';
import { gitError, withoutSecrets } from '../run/git-error.ts';
import { runGit } from '../run/run-git.ts';

/** Creates `git_clone`. */
export function createCloneTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_clone',
    description: 'Copies another git repository into a folder of the workspace.',
    risk: 'high',
    managesOwnTimeout: true,
    documentation: () =>
      'The address is https://host/path, ssh://host/path or user@host:path; which of them are allowed is set by the operator. Credentials are ' +
      'configured, never part of the address. The folder must be missing or empty. Submodules are not cloned, and no program of the other ' +
      'repository is started. `depth` copies only that many of the newest commits.',
    inputSchema: {
      type: 'object',
      properties: {
        address: { type: 'string', description: 'Address of the other repository.' },
        folder: { type: 'string', description: 'Folder in the workspace.' },
        branch: { type: 'string', description: 'Branch to check out. Default: that of the other repository.' },
        depth: { type: 'integer', minimum: 1, maximum: 1_000_000 },
      },
      required: ['address', 'folder'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { folder: { type: 'string' }, branch: { type: 'string' }, head: { type: 'string' } },
      required: ['folder'],
    },
    classifyRisk: ({ address, folder }) => ({
      risk: 'high',
      summary: `Clone ${quoted(withoutSecrets(address))} into ${quoted(folder)}`,
    }),
    execute: (args, context) => withTransferLimit(parts, context, (limited) => clone(parts, args, limited)),
  });
}

interface CloneArguments {
  readonly address: string;
  readonly folder: string;
  readonly branch?: string;
  readonly depth?: number;
}

async function clone(
  parts: GitParts,
  { address, folder, branch, depth }: CloneArguments,
  context: TransferContext,
): Promise<ToolExecutionResult> {
  const workspace = parts.workspaceOf(context);
  const { root } = workspace;
  if (/:\/\/[^/]*@/.test(address) && !address.startsWith('ssh://')) {
    const message = 'The address has credentials in it. Set "credentials" of this tool source instead';
    throw new KernelError('E_ARGUMENTS_INVALID', message, { hadNoEffect: true });
  }
  const options = [
    ...(branch === undefined ? [] : [`--branch=${checkName(branch, 'branch')}`]),
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
  ];
  const remote = await checkRemote(parts, context, { workspace, folder: root }, address);
  const { path, shown } = await newFolder(workspace, folder);
  if ((await readdir(path)).length > 0) {
    throw new KernelError('E_FILE_EXISTS', `The folder ${quoted(folder)} is not empty`, { hadNoEffect: true });
  }
  const service = otherSide('upload-pack', remote.isLocal);
  const { exitCode, stderr } = await runGit({
    args: [
      ...fixedOptions(false),
      'clone',
      '--quiet',
      '--template=',
      '--no-recurse-submodules',
      '--no-local',
      '--origin=origin',
      service,
      ...options,
      '--',
      remote.url,
      path,
    ],
    cwd: root,
    env: gitEnvironment({
      protocols: remote.protocols,
      readsOnly: false,
      more: parts.options.environment ?? {},
      settings: remote.settings,
      sshOptions: remote.sshOptions,
    }),
    signal: context.signal,
    startsPrograms: true,
  });
  if (exitCode !== 0) throw gitError({ command: 'clone', stderr, root, locksFirst: false });
  const repository = await openRepository(parts, context, folder);
  const { stdout } = await repository.run(['rev-parse', '--verify', '--quiet', 'HEAD'], { okCodes: [0, 1] });
  const named = await repository.run(['symbolic-ref', '--quiet', '--short', 'HEAD'], { okCodes: [0, 1] });
  const head = stdout.toString('utf8').trim();
  const current = named.stdout.toString('utf8').trim();
  return toolReply(`Cloned into ${shown}${head === '' ? ', which has no commits' : `, at ${head.slice(0, 10)}`}`, {
    folder: shown,
    ...(current === '' ? {} : { branch: current }),
    ...(head === '' ? {} : { head }),
  });
}
