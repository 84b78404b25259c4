import { guestChannelFolder } from './channel-folder.ts';

/** Label of every container of a sandbox; its value is the folder of its sandbox. */
export const ownerLabel = 'ravi.sandbox';
/** Label with the machine on which the owner runs. */
export const machineLabel = 'ravi.sandbox.machine';

/** Limits of a container. */
export interface ContainerLimits {
  /** All memory of a container in bytes, `/workspace` included; swap is off. */
  readonly memoryBytes: number;
  /** Number of processors; may be a fraction. */
  readonly cpus: number;
  /** Maximum number of processes and threads together. */
  readonly maxThreads: number;
  /** Size of `/workspace` in bytes. */
  readonly workspaceBytes: number;
}

/** Default limits of a container. Node alone takes 11 threads. */
export const defaultContainerLimits: ContainerLimits = Object.freeze({
  memoryBytes: 512 * 1_048_576,
  cpus: 1,
  maxThreads: 64,
  workspaceBytes: 64 * 1_048_576,
});

/** Maximum number of entries of `/workspace`: each takes kernel memory, which no other limit counts in time. */
const maxFiles = 16_384;

/** Returns the body of `POST /containers/create`, with every restriction that the engine offers. */
export function containerSpecification(options: {
  readonly image: string;
  readonly command: readonly string[];
  readonly channelFolder: string;
  readonly limits: ContainerLimits;
  readonly runtime: string | undefined;
  readonly owner: string;
  readonly machine: string;
}): object {
  const { image, command, channelFolder, limits, runtime, owner, machine } = options;
  return {
    Image: image,
    Entrypoint: [],
    Cmd: command,
    User: '65534:65534',
    WorkingDir: '/workspace',
    Hostname: 'sandbox',
    Env: [],
    Labels: { [ownerLabel]: owner, [machineLabel]: machine },
    NetworkDisabled: true,
    AttachStdin: false,
    AttachStdout: false,
    AttachStderr: false,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      IpcMode: 'none',
      PidsLimit: limits.maxThreads,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      Ulimits: [
        { Name: 'nofile', Soft: 256, Hard: 256 },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      Tmpfs: { '/workspace': `rw,noexec,nosuid,nodev,mode=1777,size=${limits.workspaceBytes},nr_inodes=${maxFiles}` },
      // A FIFO in a read-only mount can still be written; only the folder is read-only for the guest.
      Mounts: [{ Type: 'bind', Source: channelFolder, Target: guestChannelFolder, ReadOnly: true }],
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
      ...(runtime === undefined ? {} : { Runtime: runtime }),
    },
  };
}
