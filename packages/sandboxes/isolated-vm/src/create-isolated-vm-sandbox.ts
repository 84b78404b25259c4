import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { KernelError, sandboxLimits } from '@ravi/kernel';
import type { Sandbox } from '@ravi/kernel';
import { childSource, createProcessSandbox, nodeLauncher, openIsolates } from '@ravi/sandbox-kit';
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
    },
    launch: nodeLauncher({
      source: childSource({ openRealm: openIsolates, argument: { binary: findBinary() } }),
      // isolated-vm requires it: isolates with another snapshot than Node's may crash the process.
      // Scripts are short and compiled each time: V8's mid-tier compiler takes more time than its code saves.
      nodeFlags: ['--allow-addons', '--no-node-snapshot', '--no-maglev'],
    }),
    rehearses: true,
    pool: options,
  });
}

function findPackage(): string {
  try {
    return createRequire(import.meta.url).resolve('isolated-vm');
  } catch (cause) {
    throw new KernelError(
      'E_SANDBOX_UNAVAILABLE',
      'The package isolated-vm is not found: install it, and leave it external when you bundle',
      { cause },
    );
  }
}

// The prebuilt binary, found without loading it into the host.
function findBinary(): string {
  const entry = findPackage();
  try {
    const findPrebuilt = createRequire(entry)('node-gyp-build') as { path(folder: string): string };
    return findPrebuilt.path(dirname(entry));
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}, Node ${process.versions.node}`;
    throw new KernelError('E_SANDBOX_UNAVAILABLE', `isolated-vm has no binary for ${platform}`, { cause });
  }
}
