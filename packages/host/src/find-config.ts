import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { invalidConfig } from './resolve-config.ts';

/** Where to look for a configuration. */
export interface ConfigLocation {
  /** As given on the command line; wins over everything. */
  readonly path?: string | undefined;
  /** Absolute folder that a relative path means, and that is searched when no path is given. */
  readonly cwd: string;
  /** The environment; `RAVI_CONFIG` is a path. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const fileNames = ['ravi.config.json', 'ravi.config.ts'];

/**
 * The absolute path of the configuration file; `undefined` when none is named and the folder has none.
 * @throws KernelError `E_CONFIG_INVALID` for a named file that is not there, or a folder with both kinds
 */
export async function findConfig({ path, cwd, env }: ConfigLocation): Promise<string | undefined> {
  if (path !== undefined) return named(resolve(cwd, path), '--config');
  const fromEnvironment = env['RAVI_CONFIG'];
  if (fromEnvironment !== undefined && fromEnvironment !== '')
    return named(resolve(cwd, fromEnvironment), 'RAVI_CONFIG');

  const found: string[] = [];
  for (const name of fileNames) {
    const candidate = resolve(cwd, name);
    if (await exists(candidate)) found.push(candidate);
  }
  if (found.length > 1) throw invalidConfig(cwd, [`${fileNames.join(' and ')} are both there; remove one or name it`]);
  return found[0];
}

async function named(path: string, origin: string): Promise<string> {
  if (await exists(path)) return path;
  throw invalidConfig(path, [`the file that ${origin} names does not exist`]);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
