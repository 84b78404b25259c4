import { dirname, resolve } from 'node:path';
import { KernelError } from '@ravi/kernel';

// Not imported: webpack would replace its calls by numbers of modules that it has not bundled.
const { createRequire } = process.getBuiltinModule('node:module');

/**
 * Returns the path of the main file of a package, as the module at `address` finds it. A bundle may carry the address that
 * the module had on another machine, so the program's folder is searched too.
 * @throws KernelError `E_SANDBOX_UNAVAILABLE` when it is not installed
 */
export function findPackage(name: string, address: string): string {
  const [, program = process.cwd()] = process.argv;
  try {
    return resolveFrom(name, address) ?? createRequire(resolve(program)).resolve(name);
  } catch (cause) {
    throw new KernelError(
      'E_SANDBOX_UNAVAILABLE',
      `The package ${name} is not found: install it, and leave it external when you bundle`,
      { cause },
    );
  }
}

/**
 * Returns the path of the prebuilt isolated-vm addon, found without loading it into the host.
 * @throws KernelError `E_SANDBOX_UNAVAILABLE` when it is not installed, or has no binary for this platform
 */
export function findIsolatedVm(address: string): string {
  const entry = findPackage('isolated-vm', address);
  try {
    const findPrebuilt = createRequire(entry)('node-gyp-build') as { path(folder: string): string };
    return findPrebuilt.path(dirname(entry));
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}, Node ${process.versions.node}`;
    throw new KernelError('E_SANDBOX_UNAVAILABLE', `isolated-vm has no binary for ${platform}`, { cause });
  }
}

function resolveFrom(name: string, address: string): string | undefined {
  try {
    return createRequire(address).resolve(name);
  } catch {
    return undefined;
  }
}
