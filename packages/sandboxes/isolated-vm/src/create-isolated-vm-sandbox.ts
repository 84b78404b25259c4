import { sandboxLimits } from '@ravi/kernel';
import type { Sandbox } from '@ravi/kernel';
import { childSource, createProcessSandbox, findIsolatedVm, nodeLauncher, openIsolates } from '@ravi/sandbox-kit';
import type { PoolOptions } from '@ravi/sandbox-kit';

/** Options of the isolated-vm sandbox. */
export type IsolatedVmSandboxOptions = Partial<PoolOptions>;

/**
 * Creates a sandbox that runs scripts in V8 isolates, in child processes.
 * @throws KernelError `E_SANDBOX_UNAVAILABLE` when isolated-vm is not installed, or has no binary for this platform
 */
export function createIsolatedVmSandbox(options: IsolatedVmSandboxOptions = {}): Sandbox {
  return createProcessSandbox({
    name: 'isolated-vm',
    supports: {
      languages: ['javascript'],
      isolation: 'process',
      limits: sandboxLimits,
      detectsDeadlock: true,
      marksTurns: ['javascript'],
    },
    launch: nodeLauncher({
      source: childSource({ openRealm: openIsolates, argument: { binary: findIsolatedVm(import.meta.url) } }),
      // isolated-vm requires it: isolates with another snapshot than Node's may crash the process.
      // Scripts are short and compiled each time: V8's mid-tier compiler takes more time than its code saves.
      nodeFlags: ['--allow-addons', '--no-node-snapshot', '--no-maglev'],
    }),
    rehearses: true,
    pool: options,
  });
}
