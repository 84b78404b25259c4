import { dirname, resolve } from 'node:path';
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
      marksTurns: true,
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

// Not imported: webpack would replace its calls by numbers of modules that it has not bundled.
const { createRequire } = process.getBuiltinModule('node:module');

// A bundle may carry the address that this file had on another machine, so the program's folder is searched too.
function findPackage(): string {
  const [, program = process.cwd()] = process.argv;
  try {
    return resolveFrom(import.meta.url) ?? createRequire(resolve(program)).resolve('isolated-vm');
  } catch (cause) {
    throw new KernelError(
      'E_SANDBOX_UNAVAILABLE',
      'The package isolated-vm is not found: install it, and leave it external when you bundle',
      { cause },
    );
  }
}

function resolveFrom(address: string): string | undefined {
  try {
    return createRequire(address).resolve('isolated-vm');
  } catch {
    return undefined;
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
