import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { invalidConfig } from './resolve-config.ts';

/** Location of a configuration. */
export interface ConfigLocation {
  /** Path from the command line; takes precedence. */
  readonly path?: string | undefined;
  /** Absolute folder from which relative paths are resolved. It is searched if no path is given. */
  readonly cwd: string;
  /** The environment; `RAVI_CONFIG` is a path. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True to read a module that this process has loaded before again. Modules that it imports stay as they are. */
  readonly isReload?: boolean;
}

const fileNames = ['ravi.config.json', 'ravi.config.ts'];

/**
 * Returns the absolute path of the configuration file; `undefined` if none is named and the folder has none.
 * @throws KernelError `E_CONFIG_INVALID` for a named file that does not exist, or a folder with both kinds
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
  if (found.length > 1) throw invalidConfig(cwd, [`${fileNames.join(' and ')} both exist; remove one, or name one`]);
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
