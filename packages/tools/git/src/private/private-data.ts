import { closeSync, lstatSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Workspace } from '@ravi/tools-kit';
import type { GitContext, GitParts } from '../options.ts';
import { gitEnvironment } from '../run/git-environment.ts';
import { gitError } from '../run/git-error.ts';
import { runGit } from '../run/run-git.ts';
import type { GitResult } from '../run/run-git.ts';
import { copyData } from './copy-data.ts';
import type { CopiedData, CopyScope } from './copy-data.ts';
import { stateOf } from './data-folder.ts';
import { findChanges } from './find-changes.ts';
import { openObjects } from './open-objects.ts';
import { openPrivateConfig } from './private-config.ts';
import type { ConfigCommand, PrivateConfig } from './private-config.ts';
import { makePrivateFolder } from './private-folder.ts';
import { publishChanges } from './publish-changes.ts';

/** Folders of a repository in the workspace, as absolute paths. */
export interface DataFolders {
  readonly workspace: Workspace;
  /** Data of the work tree: `HEAD`, index. */
  readonly gitFolder: string;
  /** Data that all work trees share: configuration, refs, objects. */
  readonly commonFolder: string;
}

/** Options of {@link openPrivateData}. */
export interface PrivateDataOptions {
  /** True to copy the hooks. */
  readonly hooks: boolean;
  /** Number that the handle of the objects has in processes of git. */
  readonly objectsNumber: number;
}

/**
 * Data of a repository for the commands of one call. Everything but the objects is a copy in a private folder, so that another program cannot
 * change what git reads after the check, and no link that it makes leads git out of the workspace. The objects are the folder of the
 * repository, by its handle.
 */
export interface PrivateData extends Disposable {
  readonly gitFolder: string;
  readonly commonFolder: string;
  readonly config: PrivateConfig;
  /** Handle of the folder with the objects. */
  readonly objects: number;
  /** Copies the logs of branches, before a command that writes or reads them. @throws KernelError as `openPrivateData` */
  copyLogs(): Promise<void>;
  /** Makes the changes of commands in the workspace. @throws KernelError as `publishChanges` */
  publish(): Promise<void>;
  /** Returns text of git without the path of the private folder. */
  withoutPaths(text: string): string;
}

/**
 * Copies the data of a repository for one call. Dispose it after the call.
 * @throws KernelError `E_GIT_UNTRUSTED`, `E_GIT_FAILED` for a configuration that git cannot read, `E_FILE_FORBIDDEN`, `E_CONFIG_INVALID`
 */
export async function openPrivateData(
  parts: GitParts,
  context: GitContext,
  folders: DataFolders,
  options: PrivateDataOptions,
): Promise<PrivateData> {
  const { root } = folders.workspace;
  const folder = makePrivateFolder(parts.privateParent, root);
  let objects: number | undefined;
  const close = (): void => {
    if (objects !== undefined) closeSync(objects);
    objects = undefined;
    folder[Symbol.dispose]();
  };
  try {
    const worktree = relative(folders.commonFolder, folders.gitFolder);
    const path = relative(root, folders.commonFolder);
    const data: CopyScope = { workspace: folders.workspace, path, worktree, hooks: options.hooks };
    objects = await openObjects(data);
    const commonFolder = join(folder.path, 'data');
    const gitFolder = join(commonFolder, worktree);
    const copied = await copyData(data, commonFolder);
    const objectsPath = `/proc/self/fd/${options.objectsNumber}`;
    const target = process.platform === 'linux' ? objectsPath : join(folders.commonFolder, 'objects');
    symlinkSync(target, join(commonFolder, 'objects'), 'junction');
    const withoutPaths = (text: string): string =>
      text.replaceAll(commonFolder, '.git').replaceAll(folder.path, '.git');
    const command = configCommand(parts, context, folder.path, (end) =>
      gitError({ command: 'config', stderr: withoutPaths(end.stderr), root, locksFirst: false }),
    );
    const config = await openPrivateConfig(command, commonFolder, gitFolder);
    return {
      gitFolder,
      commonFolder,
      config,
      objects,
      withoutPaths,
      copyLogs: () => copied.copyLogs(),
      publish: () => publish(data, commonFolder, copied, config),
      [Symbol.dispose]: close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function configCommand(
  { options }: GitParts,
  { signal }: GitContext,
  folder: string,
  errorOf: (end: GitResult) => Error,
): ConfigCommand {
  const env = {
    ...gitEnvironment({ protocols: [], readsOnly: true, more: options.environment ?? {}, settings: [] }),
    // Without a repository the command reads only the file that it is given.
    GIT_DIR: join(folder, 'none'),
  };
  return async (args, okCode = 0) => {
    const end = await runGit({ args: ['--no-pager', 'config', ...args], cwd: folder, env, signal });
    if (end.exitCode === 0 || end.exitCode === okCode) return end.stdout.toString('utf8');
    throw errorOf(end);
  };
}

async function publish(
  data: CopyScope,
  folder: string,
  { files, refs }: Pick<CopiedData, 'files' | 'refs'>,
  config: PrivateConfig,
): Promise<void> {
  const packed = refs.change();
  const changes = [...findChanges(folder, files, packed)];
  const settings = await config.changed();
  const original = files.get('config')?.original;
  if (settings !== undefined) changes.push({ kind: 'write', path: 'config', source: settings, original, bytes: 0 });
  const states = await publishChanges(data, changes);
  packed?.accept();
  for (const { kind, path, source } of changes) {
    const state = states.get(path);
    if (kind === 'remove' || state === undefined) files.delete(path);
    else files.set(path, { original: state, copy: stateOf(lstatSync(source, { bigint: true })) });
  }
}
