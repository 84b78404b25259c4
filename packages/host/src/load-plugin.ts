import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KernelError } from '@ravi/kernel';
import type { Plugin, PortName } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import { importProblem, messageOf } from './describe-error.ts';
import { pluginPorts } from './config.ts';
import { invalidConfig } from './resolve-config.ts';

/** A plugin to load for a key of the configuration. */
export interface PluginRequest {
  /** Key for messages: `plugins.blobStore`. */
  readonly place: string;
  readonly port: PortName;
  readonly use: string;
  /** The configuration's folder. */
  readonly baseDir: string;
  /** Folder from which a package is resolved next, usually the application's. */
  readonly fallbackBaseDir?: string | undefined;
}

const ownScope = '@ravi/';

const packagePattern = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)*$/i;

/**
 * Imports a plugin and checks its shape.
 * @throws KernelError `E_CONFIG_INVALID` if `use` is neither a package name nor a relative path,
 * `E_PLUGIN_NOT_FOUND` if it does not exist, `E_PLUGIN_INVALID` if it is not a plugin for this port
 */
export async function loadPlugin(request: PluginRequest): Promise<Plugin> {
  const url = pathToFileURL(locate(request)).href;
  let module: { readonly default?: unknown };
  try {
    module = await import(/* webpackIgnore: true */ /* @vite-ignore */ url);
  } catch (cause) {
    throw invalidPlugin(request, `could not be loaded: ${importProblem(cause)}`, cause);
  }
  return checkShape(request, module.default);
}

/** Returns an `E_PLUGIN_INVALID` error that names the plugin and its key. */
export function invalidPlugin({ place, use }: PluginRequest, problem: string, cause?: unknown): KernelError {
  return new KernelError('E_PLUGIN_INVALID', `${place}: the plugin ${use} ${problem}`, { cause });
}

function locate(request: PluginRequest): string {
  const { place, use, baseDir } = request;
  const isPath = /^\.\.?\//.test(use);
  if (!isPath && !packagePattern.test(use)) {
    throw invalidConfig(`${place}.use`, [`"${use}" is neither a package name nor a path that starts with ./`]);
  }
  const folders = isPath ? [baseDir] : foldersOf(request);
  for (const folder of folders) {
    const path = resolveFrom(folder, request);
    if (path !== undefined) return path;
  }
  const advice = isPath ? `there is no file ${resolve(baseDir, use)}` : adviceFor(use, folders);
  throw new KernelError('E_PLUGIN_NOT_FOUND', `${place}: the plugin ${use} was not found, ${advice}`);
}

function foldersOf({ baseDir, fallbackBaseDir }: PluginRequest): readonly string[] {
  return fallbackBaseDir === undefined ? [baseDir] : [baseDir, fallbackBaseDir];
}

// A similar installed name is more likely to be meant than a package that npm would have to find.
function adviceFor(use: string, folders: readonly string[]): string {
  const [, scope = '', name = use] = /^(@[^/]+\/)?(.*)$/.exec(use) ?? [];
  const meant = endingIn(use, folders);
  const near = meant.length > 0 ? meant : nearNames(name, installedIn(scope, folders)).map((each) => scope + each);
  if (near.length > 0) return didYouMean(near);
  return `it is not installed; run "npm install ${use}" in ${folders[0]}`;
}

/** Returns the packages of Ravi whose last part is a short name: `@ravi/engine-pg-boss` for `pg-boss`. */
function endingIn(short: string, folders: readonly string[]): readonly string[] {
  const found = installedIn(ownScope, folders).filter((name) => `-${name}`.endsWith(`-${short}`));
  return found.map((name) => ownScope + name);
}

function didYouMean(names: readonly string[]): string {
  return `did you mean ${names.join(' or ')}?`;
}

/** Returns the packages of a scope (`@ravi/`, or an empty text) that are installed for folders, without the scope. */
function installedIn(scope: string, folders: readonly string[]): readonly string[] {
  const found = folders.flatMap((folder) => packagesAbove(folder, scope));
  return [...new Set(found)].toSorted();
}

function packagesAbove(folder: string, scope: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    try {
      found.push(...readdirSync(join(at, 'node_modules', scope)));
    } catch {
      // Most folders have no node_modules.
    }
    if (at === dirname(at)) return found;
  }
}

// A package may have an entry for `import` only. require.resolve takes conditions since Node 22.15, which is not in its
// types yet; an older Node ignores them and still finds every package with a `default` entry.
const resolveOptions = { conditions: new Set(['node', 'import', 'module-sync']) } as object;

function resolveFrom(folder: string, request: PluginRequest): string | undefined {
  try {
    return createRequire(resolve(folder, 'ravi.config.json')).resolve(request.use, resolveOptions);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw invalidPlugin(request, `cannot be resolved: ${messageOf(cause)}`, cause);
  }
}

/** Returns an error about a module that may be a library whose name is a short one of a plugin. */
function notPlugin(request: PluginRequest, problem: string): KernelError {
  const meant = endingIn(request.use, foldersOf(request));
  return invalidPlugin(request, meant.length === 0 ? problem : `${problem}; ${didYouMean(meant)}`);
}

function checkShape(request: PluginRequest, plugin: unknown): Plugin {
  if (!isRecord(plugin)) throw notPlugin(request, 'has no plugin as its default export');
  const { name, port, configSchema, create } = plugin;
  if (typeof name !== 'string' || name === '') throw notPlugin(request, 'has no name');
  if (typeof port !== 'string' || !Object.hasOwn(pluginPorts, port)) {
    throw invalidPlugin(request, `has a port that is not one of ${Object.keys(pluginPorts).join(', ')}`);
  }
  if (!isRecord(configSchema)) throw invalidPlugin(request, 'has no configSchema');
  if (typeof create !== 'function') throw invalidPlugin(request, 'has no create function');
  if (port !== request.port) throw invalidPlugin(request, `implements the port ${port}, not ${request.port}`);
  return plugin as unknown as Plugin;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
