import { KernelError } from '@ravi/kernel';
import type { ContainerOptions } from './container-options.ts';

/** Label of each container; its value names the process that created it. */
export const ownerLabel = 'ravi.command';
/** Label with the machine of that process. */
export const machineLabel = 'ravi.command.machine';

// The command is a child of the first process, which would be deaf to most signals, and takes both streams as one.
const starter = 'cd "$1" || exit 126; shift; "$@" 2>&1; exit "$?"';
const tmp = '/tmp';
const upperProxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const proxyNames = [...upperProxyNames, ...upperProxyNames.map((name) => name.toLowerCase())];

/** Container to create for one command. */
export interface ContainerPlan {
  readonly name: string;
  readonly owner: string;
  readonly machine: string;
  readonly options: Required<ContainerOptions>;
  /** Workspace, an absolute path without links. */
  readonly root: string;
  /** Absolute path of the folder in which the command starts. */
  readonly folder: string;
  /** Further folders that the command may write. */
  readonly writes: readonly string[];
  readonly argv: readonly string[];
  /** Variables of the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the file with the variables. */
  readonly environmentFile: string;
  readonly hasInput: boolean;
  /** User and group of the command; `undefined` on a system without them. */
  readonly user: string | undefined;
}

/**
 * Returns the arguments of the client that create a container with every restriction that the engine offers.
 * @throws KernelError `E_UNSUPPORTED` for a workspace that cannot be mounted
 */
export function containerArguments(plan: ContainerPlan): readonly string[] {
  const { name, owner, machine, options, root, folder, writes, argv, environment, environmentFile, hasInput, user } =
    plan;
  const { image, network, memoryBytes, cpus, pids } = options;
  refuseSystemFolder(root);
  return [
    'create',
    `--name=${name}`,
    `--label=${ownerLabel}=${owner}`,
    `--label=${machineLabel}=${machine}`,
    '--pull=never',
    `--network=${network}`,
    ...(user === undefined ? [] : [`--user=${user}`]),
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    '--read-only',
    `--tmpfs=${tmp}:rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(memoryBytes / 2)}`,
    '--ipc=private',
    `--memory=${memoryBytes}`,
    `--memory-swap=${memoryBytes}`,
    `--cpus=${cpus}`,
    `--pids-limit=${pids}`,
    '--ulimit=core=0',
    '--log-driver=none',
    '--no-healthcheck',
    '--hostname=ravi',
    `--workdir=${root}`,
    // The client would add those of its own configuration, which may have credentials.
    ...proxyNames.map((variable) => `--env=${variable}=${environment[variable] ?? ''}`),
    `--env-file=${environmentFile}`,
    ...[root, ...writes].map(mountOf),
    ...(hasInput ? ['--interactive'] : []),
    '--entrypoint=/bin/sh',
    image,
    '-c',
    starter,
    'ravi',
    folder,
    ...argv,
  ];
}

// The system of the container is there.
function refuseSystemFolder(root: string): void {
  if (root !== '/' && root !== tmp && !/^\/(?:dev|proc|sys)(?:\/|$)/u.test(root)) return;
  throw new KernelError(
    'E_UNSUPPORTED',
    'The folder of the workspace cannot be mounted into a container: choose another',
    {
      hadNoEffect: true,
    },
  );
}

// The value is a record of comma-separated values.
function mountOf(path: string): string {
  const field = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `--mount=type=bind,${field(`source=${path}`)},${field(`target=${path}`)}`;
}

/**
 * Returns the text of a file with variables.
 * @throws KernelError `E_CONFIG_INVALID` for one that such a file cannot have
 */
export function environmentText(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => {
      if (/^[^\s=#][^\s=]*$/u.test(name) && !/[\r\n\0]/u.test(value)) return `${name}=${value}\n`;
      const message = `The variable ${JSON.stringify(name)} cannot be given to a container: its name has a space or "=", or its value a line break`;
      throw new KernelError('E_CONFIG_INVALID', message, { hadNoEffect: true });
    })
    .join('');
}
