import { realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import nodeModule, { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { refuseExit } from './refuse-exit.ts';

/** Loader of the modules of a folder, again after they have changed. */
export interface ModuleLoader {
  /**
   * Loads a module by its path in the folder. The same module until {@link renew}.
   * @throws what the module throws, and an Error if it exports `then`
   */
  load(file: string): Promise<{ readonly default?: unknown }>;
  /**
   * Makes the next loads read the files again, if one of the folder has changed since it was last asked. Returns the paths in the folder
   * of the files that are new, changed or gone.
   */
  renew(): Promise<ReadonlySet<string>>;
}

/** Parameter that makes the address of a module another one, so that Node loads it again. */
const parameter = 'ravi-reload';

/** Folders of the versions, as URLs that end in a slash. */
const folders = new Map<string, string>();
let isHooked = false;

/**
 * Creates a loader. Modules of the folder that a module imports by a relative path belong to its version; packages and files
 * outside of the folder are loaded once.
 */
export function createModuleLoader(folder: string): ModuleLoader {
  let version: string | undefined;
  let seen = fingerprintOf(folder);
  return {
    async load(file) {
      await seen;
      const url = pathToFileURL(join(folder, file));
      if (version !== undefined) url.searchParams.set(parameter, version);
      const { module } = await refuseExit<Holder>(
        folder,
        () => import(/* webpackIgnore: true */ /* @vite-ignore */ holderOf(url)),
      );
      if ('then' in module) throw new Error('exports "then", which makes a promise of the module: name it otherwise');
      return module;
    },
    async renew() {
      const [before, now] = [await seen, await fingerprintOf(folder)];
      const changed = new Set([...before.keys(), ...now.keys()].filter((path) => before.get(path) !== now.get(path)));
      if (changed.size === 0) return changed;
      seen = Promise.resolve(now);
      hook();
      version = String(nextVersion());
      const root = realpathSync(folder);
      folders.set(version, `${pathToFileURL(root).href}/`);
      forgetCommonJs(root);
      return changed;
    },
  };
}

/** A module that only holds another one. */
interface Holder {
  readonly module: { readonly default?: unknown };
}

// `import()` would call an exported `then`, which may never answer. A module that another one holds is not called.
function holderOf({ href }: URL): string {
  return `data:text/javascript,${encodeURIComponent(`export * as module from ${JSON.stringify(href)}`)}`;
}

let versions = 0;

function nextVersion(): number {
  return ++versions;
}

// A relative import has the address of its file only: without this, a reloaded tool would get the old module.
function hook(): void {
  if (isHooked) return;
  isHooked = true;
  // A named import would fail on a version of Node without it, before the check of the version says what is needed.
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const result = nextResolve(specifier, context);
      if (!specifier.startsWith('.') || context.parentURL?.includes(parameter) !== true) return result;
      const version = new URL(context.parentURL).searchParams.get(parameter) ?? '';
      const root = folders.get(version);
      if (root === undefined || !result.url.startsWith(root) || result.url.includes('/node_modules/')) return result;
      const url = new URL(result.url);
      url.searchParams.set(parameter, version);
      return { ...result, url: url.href };
    },
  });
}

// CommonJS modules are kept by their path.
function forgetCommonJs(root: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) if (path.startsWith(`${root}/`)) delete cache[path];
}

/** Returns a text for each file of the folder that changes with it. */
async function fingerprintOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // What cannot be read is reported when it is loaded.
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(next, entry.name);
      if (entry.isDirectory()) open.push(path);
      const info = entry.isDirectory() ? undefined : await stat(path, { bigint: true }).catch(() => undefined);
      if (info !== undefined) {
        files.set(relative(folder, path), `${info.size} ${info.mtimeNs} ${info.ctimeNs} ${info.ino}`);
      }
    }
  }
  return files;
}
