import type { ToolContext } from '@ravi/kernel';
import { withPathLock } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import type { GitParts } from '../options.ts';
import { fixedOptions } from '../run/fixed-options.ts';
import { gitEnvironment } from '../run/git-environment.ts';
import type { GitEnvironmentOptions } from '../run/git-environment.ts';
import { gitError } from '../run/git-error.ts';
import { readGit, runGit } from '../run/run-git.ts';
import type { GitCommand, GitResult, ReadOutput } from '../run/run-git.ts';
import { untrusted } from './check-git-folder.ts';
import { filterSettings, readConfigList, refusedKey } from './configured.ts';
import type { GitWork, RepositoryConfig } from './configured.ts';
import { findRepository } from './find-repository.ts';
import type { RepositoryFolders } from './find-repository.ts';

/** Options of a command in a repository. */
export interface RunOptions {
  /** Kinds of work of a command that writes. Absent for one that only reads. */
  readonly work?: readonly GitWork[];
  /** Text for its input. */
  readonly input?: string;
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

/** Transports, settings and options of ssh for a command that reaches another repository. */
export type OtherRepository = Pick<GitEnvironmentOptions, 'protocols' | 'settings' | 'sshOptions'>;

/** Context that the work on a repository needs. */
export type GitContext = Pick<ToolContext, 'cwd' | 'signal'>;

/** Repository that was checked for this call. */
export interface Repository extends RepositoryFolders {
  readonly workspace: Workspace;
  readonly config: RepositoryConfig;
  /** Runs a git command. @throws KernelError `E_GIT_…` if it fails, `E_GIT_UNTRUSTED` if the repository would start a program */
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
  const folders = await findRepository(workspace, path);
  const { root } = workspace;
  const { options } = parts;
  const { signal } = context;
  const plainEnvironment = {
    protocols: [],
    readsOnly: true,
    identity: options.identity,
    more: options.environment ?? {},
    settings: [],
  };
  // Listing runs nothing, and follows no include: a repository with one is refused.
  const listed = await runGit({
    args: ['config', '--list', '-z', '--no-includes'],
    cwd: folders.top,
    env: { ...gitEnvironment(plainEnvironment), ...placeVariables(folders) },
    signal,
  });
  if (listed.exitCode !== 0) throw gitError({ command: 'config', stderr: listed.stderr, root, locksFirst: false });
  const config = readConfigList(listed.stdout.toString('utf8'));

  function commandOf(args: readonly string[], run: RunOptions): GitCommand {
    const { work, input, settings = [], logAs, other } = run;
    const refused = refusedKey(config, work ?? []);
    if (refused !== undefined) throw untrusted(`its configuration sets ${refused}, which can start a program`);
    const environment = gitEnvironment({
      ...plainEnvironment,
      ...(other === undefined ? {} : { protocols: other.protocols, sshOptions: other.sshOptions ?? [] }),
      readsOnly: work === undefined,
      settings: [...filterSettings(config), ...settings, ...(other?.settings ?? [])],
    });
    return {
      args: [...fixedOptions(options.hooks === true, run.literalPaths), ...args],
      cwd: folders.top,
      env: {
        ...environment,
        ...placeVariables(folders),
        ...(logAs === undefined ? {} : { GIT_REFLOG_ACTION: logAs }),
      },
      input,
      signal,
      startsPrograms: work !== undefined,
    };
  }

  function check(args: readonly string[], run: RunOptions, end: Pick<GitResult, 'exitCode' | 'stderr'>): void {
    if ((run.okCodes ?? [0]).includes(end.exitCode)) return;
    const command = args.find((argument) => !argument.startsWith('-')) ?? '';
    throw gitError({ command, stderr: end.stderr, root, locksFirst: run.locksFirst === true });
  }

  return {
    ...folders,
    workspace,
    config,
    async run(args, run = {}) {
      const result = await runGit(commandOf(args, run));
      check(args, run, result);
      return result;
    },
    async stream(args, read) {
      const { output, ...end } = await readGit(commandOf(args, {}), read);
      check(args, {}, end);
      return output;
    },
  };
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
    return work(await openRepository(parts, context, path));
  });
}

function placeVariables({ top, gitFolder, commonFolder }: RepositoryFolders): Record<string, string> {
  return { GIT_DIR: gitFolder, GIT_COMMON_DIR: commonFolder, GIT_WORK_TREE: top };
}
