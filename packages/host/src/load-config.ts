import { readFile, stat } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ResolvedConfig } from './config.ts';
import { findConfig } from './find-config.ts';
import type { ConfigLocation } from './find-config.ts';
import { importProblem, messageOf } from './describe-error.ts';
import { parseJson } from './parse-json.ts';
import { invalidConfig, resolveConfig } from './resolve-config.ts';

/** Maximum size of a configuration file: a reload reads and checks it while the server works. */
const maxBytes = 4_194_304;

/** A configuration and its origin. */
export interface LoadedConfig {
  readonly config: ResolvedConfig;
  /** Folder from which relative paths are resolved: the file's, or the working directory without a file. */
  readonly baseDir: string;
  /** Absent if there is no file and the configuration has the defaults only. */
  readonly path?: string;
}

/**
 * Finds, reads and checks the configuration: JSON, or the default export of a TypeScript or JavaScript module.
 * @throws KernelError `E_CONFIG_INVALID` naming the file and the place in it
 */
export async function loadConfig(location: ConfigLocation): Promise<LoadedConfig> {
  const path = await findConfig(location);
  if (path === undefined) {
    const baseDir = location.cwd;
    return { config: resolveConfig({}, { baseDir, source: 'defaults' }), baseDir };
  }
  const baseDir = dirname(path);
  return {
    config: resolveConfig(await readConfig(path, location.isReload === true), { baseDir, source: path }),
    baseDir,
    path,
  };
}

async function readConfig(path: string, isReload: boolean): Promise<unknown> {
  await checkFile(path);
  if (extname(path) === '.json') return parseJson(await readText(path), path);
  if (!/^\.[mc]?[jt]s$/.test(extname(path))) {
    throw invalidConfig(path, ['a configuration file ends in .json, .ts or .js']);
  }
  let module: { readonly default?: unknown };
  try {
    const url = pathToFileURL(path);
    // Node keeps each module by its address.
    if (isReload) url.searchParams.set('version', await versionOf(path));
    module = await import(/* webpackIgnore: true */ /* @vite-ignore */ url.href);
  } catch (cause) {
    throw invalidConfig(path, [`the module could not be loaded: ${importProblem(cause)}`], cause);
  }
  if (module.default === undefined) throw invalidConfig(path, ['the module has no default export']);
  return module.default;
}

// Reading a pipe may never end.
async function checkFile(path: string): Promise<void> {
  const file = await stat(path).catch((cause: unknown) => {
    throw invalidConfig(path, [`the file could not be read: ${messageOf(cause)}`], cause);
  });
  if (!file.isFile()) throw invalidConfig(path, ['the file could not be read: it is not a regular file']);
  if (file.size > maxBytes)
    throw invalidConfig(path, [`the file has ${file.size} bytes; at most ${maxBytes} are allowed`]);
}

async function versionOf(path: string): Promise<string> {
  const { size, mtimeNs, ino } = await stat(path, { bigint: true });
  return `${mtimeNs}-${size}-${ino}`;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw invalidConfig(path, [`the file could not be read: ${messageOf(cause)}`], cause);
  }
}
