import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';

const scheme = 'unix://';

/**
 * Returns the path of the engine's socket: `host` (`unix://…`), else `DOCKER_HOST`, else the first usual socket of Docker
 * or Podman that exists, else that of Docker.
 * @throws KernelError `E_CONFIG_INVALID` for an engine that is not on this machine
 */
export function engineSocketPath(host: string | undefined, env: NodeJS.ProcessEnv): string {
  const address = host ?? env['DOCKER_HOST'] ?? '';
  if (address.startsWith(scheme)) return address.slice(scheme.length);
  if (address !== '') {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The container engine must be reached over a unix socket on this machine (unix:///path), not ${address}`,
    );
  }
  const usual = usualPaths(env['XDG_RUNTIME_DIR']);
  return usual.find((path) => existsSync(path)) ?? (usual[0] as string);
}

function usualPaths(runtimeFolder: string | undefined): readonly string[] {
  const ofUser = runtimeFolder === undefined ? [] : ['docker.sock', 'podman/podman.sock'];
  return [
    '/var/run/docker.sock',
    ...ofUser.map((path) => join(runtimeFolder as string, path)),
    '/run/podman/podman.sock',
  ];
}
