import { readFileSync } from 'node:fs';
import type { ServerConfig } from '@ravi/host';
import { KernelError } from '@ravi/kernel';

const buildPattern = /^[\w.-]{1,100}$/;

/**
 * Returns the version of this program: that of its package, and after a `+` the build that the configuration or `RAVI_VERSION` names.
 * @throws KernelError `E_CONFIG_INVALID` for a `RAVI_VERSION` of other characters than the configuration allows
 */
export function programVersion(
  { version: configured }: Pick<ServerConfig, 'version'>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const build = configured ?? env['RAVI_VERSION'] ?? '';
  // In the same place from `src` and from `dist`.
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
  if (build === '') return version;
  if (buildPattern.test(build)) return `${version}+${build}`;
  const shown = JSON.stringify(build.slice(0, 100));
  throw new KernelError('E_CONFIG_INVALID', `RAVI_VERSION must match ${buildPattern.source}, got ${shown}`);
}

interface Manifest {
  readonly version: string;
}
