import { relative } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import { openWorkFolder, withPathLock } from '@ravi/tools-kit';
import type { WorkFolder, Workspace } from '@ravi/tools-kit';
import type { GitContext, GitParts } from '../options.ts';
import { openPrivateData } from '../private/private-data.ts';
import type { PrivateData } from '../private/private-data.ts';
import { fixedOptions } from '../run/fixed-options.ts';
import { gitEnvironment } from '../run/git-environment.ts';
import type { GitEnvironmentOptions } from '../run/git-environment.ts';
import { gitError, untrusted } from '../run/git-error.ts';
import { readGit, runGit } from '../run/run-git.ts';
import type { GitCommand, GitResult, ReadOutput } from '../run/run-git.ts';
import { filterSettings, refusedKey } from '../private/configured.ts';
import type { GitWork, RepositoryConfig } from '../private/configured.ts';
import { findRepository } from './find-repository.ts';

/** Options of a command in a repository. */
export interface RunOptions {
  /** Kinds of work of a command that writes. Absent for one that only reads. */
  readonly work?: readonly GitWork[];
  /** Its input. Default: none. */
  readonly input?: string | Uint8Array;
  /** Exit codes that are results. Default: 0. */
  readonly okCodes?: readonly number[];
  /** Settings for this command. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
  /** Text at the beginning of the entries that the command adds to the log of a ref. */
  readonly logAs?: string;
  /** True if the command takes the lock of the index before its first effect. Default: false. */
  readonly locksFirst?: boolean;
  /** False for a command that uses patterns of its own. Default: true. */
  readonly literalPaths?: boolean;
  /** The other repository that the command may reach. */
  readonly other?: OtherRepository;
}

/** Other repository that a command may reach: transports, settings and options of ssh. */
export interface OtherRepository extends Pick<GitEnvironmentOptions, 'protocols' | 'settings' | 'sshOptions'> {
  /** Data of a repository of this machine. */
  readonly data?: Pick<PrivateData, 'objects' | 'copyLogs' | 'publish'>;
}

/** Numbers that the handles of the objects of a repository, and of another of this machine, have in processes of git. */
export const objectsNumbers = { own: 3, other: 4 } as const;

/** Repository that was checked for this call. Dispose it after the call. */
export interface Repository extends Disposable {
  readonly workspace: Workspace;
  /** Path of the top of its files from the root of the workspace. */
  readonly top: string;
  /** Absolute path of the private copy of the data of this work tree: `HEAD`, the state of a merge or rebase. */
  readonly gitFolder: string;
  readonly config: RepositoryConfig;
  /** Gives a remote this one address for the commands of this call. */
  setAddress(remote: string, url: string): Promise<void>;
  /**
   * Runs a git command.
   * @throws KernelError `E_GIT_…` if it fails, `E_GIT_UNTRUSTED` if the repository would start a program, `E_GIT_CHANGED` if another program
   * changed the repository meanwhile
   */
  run(args: readonly string[], options?: RunOptions): Promise<GitResult>;
  /** Runs a command that only reads, and hands its output to `read` as it is written. @throws KernelError as {@link Repository.run} */
  stream<Output>(args: readonly string[], read: ReadOutput<Output>): Promise<Output>;
}

/**
 * Finds and checks the repository of a call.
 * @throws KernelError `E_GIT_NO_REPOSITORY`, `E_GIT_UNTRUSTED`, `E_PATH_OUTSIDE`
 */
export async function openRepository(parts: GitParts, context: GitContext, path = '.'): Promise<Repository> {
  const workspace = parts.workspaceOf(context);
  const { top, ...folders } = await findRepository(workspace, path);
  const { root } = workspace;
  const { options } = parts;
  const data = await openPrivateData(
    parts,
    context,
    { workspace, ...folders },
    { hooks: options.hooks === true, objectsNumber: objectsNumbers.own },
  );
  const { entries: config } = data.config;

  function commandOf(args: readonly string[], run: RunOptions, folder: WorkFolder): GitCommand {
    const { work, input, settings = [], logAs, other } = run;
    const refused = refusedKey(config, work ?? []);
    if (refused !== undefined) throw untrusted(`its configuration sets ${refused}, which can start a program`);
    const environment = gitEnvironment({
      protocols: other?.protocols ?? [],
      sshOptions: other?.sshOptions ?? [],
      identity: options.identity,
      more: options.environment ?? {},
      readsOnly: work === undefined,
      settings: [...filterSettings(config), ...settings, ...(other?.settings ?? [])],
    });
    return {
      args: [...fixedOptions(options.hooks === true, run.literalPaths), ...args],
      cwd: folder.path,
      env: {
        ...environment,
        GIT_DIR: data.gitFolder,
        GIT_COMMON_DIR: data.commonFolder,
        // The folder that is open, also if another one has its name by now.
        GIT_WORK_TREE: '.',
        ...(logAs === undefined ? {} : { GIT_REFLOG_ACTION: logAs }),
      },
      input,
      handles: [data.objects, ...(other?.data === undefined ? [] : [other.data.objects])],
      signal: context.signal,
      startsPrograms: work !== undefined,
    };
  }

  /** git adds to the logs of refs, and reads them for a revision such as `main@{1}`. */
  async function prepareLogs(args: readonly string[], { work, other }: RunOptions): Promise<void> {
    if (work !== undefined || args.some((argument) => argument.includes('@{'))) await data.copyLogs();
    if (work !== undefined) await other?.data?.copyLogs();
  }

  function check(args: readonly string[], run: RunOptions, end: Pick<GitResult, 'exitCode' | 'stderr'>): void {
    if ((run.okCodes ?? [0]).includes(end.exitCode)) return;
    const command = args.find((argument) => !argument.startsWith('-')) ?? '';
    throw gitError({ command, stderr: end.stderr, root, locksFirst: run.locksFirst === true });
  }

  async function runAndPublish(command: GitCommand, other: OtherRepository | undefined): Promise<GitResult> {
    const publish = async (): Promise<void> => {
      await data.publish();
      await other?.data?.publish();
    };
    let end: GitResult;
    try {
      end = await runGit(command);
    } catch (error) {
      // A command that is cancelled has effects too. Its own error is the one to report.
      await publish().catch(() => {});
      throw error;
    }
    await publish();
    return end;
  }

  return {
    top: relative(root, top),
    gitFolder: data.gitFolder,
    workspace,
    config,
    setAddress: (remote, url) => data.config.setAddress(remote, url),
    async run(args, run = {}) {
      await prepareLogs(args, run);
      using folder = openWorkFolder(workspace, relative(root, top) || '.');
      const command = commandOf(args, run, folder);
      const end = await (run.work === undefined ? runGit(command) : runAndPublish(command, run.other));
      const shown = { ...end, stderr: data.withoutPaths(end.stderr) };
      check(args, run, shown);
      return shown;
    },
    async stream(args, read) {
      await prepareLogs(args, {});
      using folder = openWorkFolder(workspace, relative(root, top) || '.');
      const { output, ...end } = await readGit(commandOf(args, {}, folder), read);
      check(args, {}, { ...end, stderr: data.withoutPaths(end.stderr) });
      return output;
    },
    [Symbol.dispose]: () => data[Symbol.dispose](),
  };
}

/**
 * Checks before people are asked that a call may work in its repository. One that does not exist yet passes, because another call of the
 * same response may make it.
 * @throws KernelError `E_GIT_UNTRUSTED`, `E_PATH_OUTSIDE`
 */
export async function checkRepository(
  parts: GitParts,
  context: Pick<ToolContext, 'cwd'>,
  path: string | undefined,
): Promise<void> {
  await hasRepository(parts, context, path);
}

/** Returns false for a place without a repository. @throws KernelError as {@link checkRepository} */
export async function hasRepository(parts: GitParts, context: Pick<ToolContext, 'cwd'>, path = '.'): Promise<boolean> {
  try {
    await findRepository(parts.workspaceOf(context), path);
    return true;
  } catch (error) {
    if (!isKernelError(error, 'E_GIT_NO_REPOSITORY') && !isKernelError(error, 'E_FILE_NOT_FOUND')) throw error;
    return false;
  }
}

/** Opens the repository of a call, and works in it while no other call of this process changes it. */
export async function inRepository<Result>(
  parts: GitParts,
  context: GitContext & Pick<ToolContext, 'check'>,
  path: string | undefined,
  work: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  const { commonFolder } = await findRepository(parts.workspaceOf(context), path ?? '.');
  return withPathLock(`git\0${commonFolder}`, async () => {
    context.check();
    // Only now: the call before this one may have changed it.
    using repository = await openRepository(parts, context, path);
    return await work(repository);
  });
}
