import { KernelError, sandboxLimits } from '@ravi/kernel';
import type { Sandbox } from '@ravi/kernel';
import { canReadProcessUsage, childSource, createProcessSandbox, nodeLauncher } from '@ravi/sandbox-kit';
import type { PoolOptions } from '@ravi/sandbox-kit';
import { openContexts } from './realm.ts';

/** Options of the vm sandbox. */
export interface VmSandboxOptions extends Partial<PoolOptions> {
  /** Must be `true`, to confirm that `node:vm` does not contain hostile code. */
  readonly unsafe?: boolean;
}

/**
 * Creates a sandbox that runs scripts in `node:vm` contexts of a child process. Not a security boundary.
 * @throws KernelError `E_CONFIG_INVALID` without `unsafe: true`
 */
export function createVmSandbox({ unsafe, ...pool }: VmSandboxOptions = {}): Sandbox {
  if (unsafe !== true) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      'sandbox-vm does not contain hostile code: set unsafe: true to accept that, or use @ravi/sandbox-isolated-vm',
    );
  }
  return createProcessSandbox({
    name: 'vm',
    supports: {
      languages: ['javascript'],
      isolation: 'none',
      limits: sandboxLimits.filter((limit) => limit !== 'memory' || canReadProcessUsage),
      detectsDeadlock: true,
      marksTurns: ['javascript'],
    },
    launch: nodeLauncher({ source: childSource({ openRealm: openContexts, argument: null }), nodeFlags: [] }),
    rehearses: true,
    pool,
  });
}
