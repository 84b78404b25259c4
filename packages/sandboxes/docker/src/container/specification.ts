import { guestChannelFolder } from './channel-folder.ts';

/** The label of every container of a sandbox; its value is the folder of the sandbox that owns it. */
export const ownerLabel = 'ravi.sandbox';
/** The label with the machine on which the owner runs. */
export const machineLabel = 'ravi.sandbox.machine';

/** What a container may use. */
export interface ContainerLimits {
  /** All memory of a container in bytes, `/workspace` included; swap is off. */
  readonly memoryBytes: number;
  /** Processors; fractions count. */
  readonly cpus: number;
  /** Processes and threads together. */
  readonly maxThreads: number;
  /** The size of `/workspace` in bytes. */
  readonly workspaceBytes: number;
}

/** The least that a container needs: Node alone takes 11 threads. */
export const defaultContainerLimits: ContainerLimits = Object.freeze({
  memoryBytes: 512 * 1_048_576,
  cpus: 1,
  maxThreads: 64,
  workspaceBytes: 64 * 1_048_576,
});

/** Entries of `/workspace`: each takes memory of the kernel, which no other limit of the container counts in time. */
const maxFiles = 16_384;

/** The body of `POST /containers/create`: a program behind every wall that the engine has. */
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
      // A FIFO in a read-only mount can be written: only the folder is closed to the guest.
      Mounts: [{ Type: 'bind', Source: channelFolder, Target: guestChannelFolder, ReadOnly: true }],
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
      ...(runtime === undefined ? {} : { Runtime: runtime }),
    },
  };
}
