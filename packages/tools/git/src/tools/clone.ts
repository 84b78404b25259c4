import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool, ToolExecutionResult } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { checkAddress, checkRemote } from '../remote/check-remote.ts';
import { withTransferLimit } from '../remote/transfer-limit.ts';
import type { TransferContext } from '../remote/transfer-limit.ts';
import { moveInto } from '../private/move-into.ts';
import { makePrivateFolder } from '../private/private-folder.ts';
import { checkNewFolder, newFolder } from '../repository/new-folder.ts';
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
    checkCall(args, context) {
      optionsOf(args);
      checkNewFolder(parts.workspaceOf(context), args.folder);
      checkAddress(parts, args.address);
    },
    execute: (args, context) => withTransferLimit(parts, context, (limited) => clone(parts, args, limited)),
  });
}

interface CloneArguments {
  readonly address: string;
  readonly folder: string;
  readonly branch?: string;
  readonly depth?: number;
}

function optionsOf({ address, branch, depth }: CloneArguments): readonly string[] {
  if (/:\/\/[^/]*@/.test(address) && !address.startsWith('ssh://')) {
    const message = 'The address has credentials in it. Set "credentials" of this tool source instead';
    throw new KernelError('E_ARGUMENTS_INVALID', message, { hadNoEffect: true });
  }
  return [
    ...(branch === undefined ? [] : [`--branch=${checkName(branch, 'branch')}`]),
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
  ];
}

async function clone(parts: GitParts, args: CloneArguments, context: TransferContext): Promise<ToolExecutionResult> {
  const { address, folder } = args;
  const workspace = parts.workspaceOf(context);
  const { root } = workspace;
  const options = optionsOf(args);
  using remote = await checkRemote(parts, context, { workspace, folder: root }, address);
  const { path, shown } = await newFolder(workspace, folder);
  if ((await readdir(path)).length > 0) {
    throw new KernelError('E_FILE_EXISTS', `The folder ${quoted(folder)} is not empty`, { hadNoEffect: true });
  }
  using made = makePrivateFolder(parts.privateParent, root);
  const copy = join(made.path, 'copy');
  const { exitCode, stderr } = await runGit({
    args: [
      ...fixedOptions(false),
      'clone',
      '--quiet',
      '--template=',
      '--no-recurse-submodules',
      '--no-local',
      '--origin=origin',
      otherSide('upload-pack', remote.data?.commonFolder),
      ...options,
      '--',
      remote.url,
      copy,
    ],
    cwd: made.path,
    env: gitEnvironment({
      protocols: remote.protocols,
      readsOnly: false,
      more: parts.options.environment ?? {},
      settings: remote.settings,
      sshOptions: remote.sshOptions ?? [],
    }),
    // The number of the handle counts, and a clone has no objects of its own yet.
    handles: remote.data === undefined ? [] : [remote.data.objects, remote.data.objects],
    signal: context.signal,
    startsPrograms: true,
  });
  const text = stderr.replaceAll(copy, shown).replaceAll(made.path, shown);
  if (exitCode !== 0) throw gitError({ command: 'clone', stderr: text, root, locksFirst: false });
  await moveInto(workspace, copy, shown, context.signal);
  using repository = await openRepository(parts, context, shown);
  // The index has the times of the files in the private folder.
  await repository.run(['update-index', '-q', '--refresh'], { work: ['content'], okCodes: [0, 1] });
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
