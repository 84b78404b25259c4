import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  KernelError,
  isHostedTool,
  isLocalTool,
  isProviderDefinedTool,
  maxToolDescriptionCharacters,
  toolNamePattern,
} from '@ravi/kernel';
import { syntaxErrorPlace } from '@ravi/support';
import { parse } from 'acorn';
import { createModuleLoader } from './module-loader.ts';
import type { ModuleLoader } from './module-loader.ts';
import { problemWithFile } from './read-regular-file.ts';
import type { AnyTool, ToolSource, ToolSourceContent } from '@ravi/kernel';

/** Options of {@link createFolderToolSource}. */
export interface FolderToolSourceOptions {
  /** Name in reports; the folder as it was passed when absent. */
  readonly name?: string;
}

/**
 * Creates a source of the tools of a folder: each file `<name>.ts`, `.js` or `.mjs` and each `<name>/tool.ts` below it that
 * default-exports a tool or a list of tools, sorted by name. Files whose names start with `_` or `.`, tests and type
 * declarations are ignored. A file that fails to load is reported by name; the others still load. After a change of any file of
 * the folder, `reload` loads all of its modules again; if only files that do not load have changed, every tool stays the same object. Node
 * keeps each loaded version in memory.
 * `open` @throws KernelError `E_CONFIG_INVALID` when the folder cannot be read, `E_CANCELLED`
 */
export function createFolderToolSource(folder: string, options: FolderToolSourceOptions = {}): ToolSource {
  const name = options.name ?? folder;
  return {
    name,
    async open({ signal }) {
      if (signal.aborted) throw new KernelError('E_CANCELLED', `Opening ${name} was cancelled`);
      const loader = createModuleLoader(folder);
      let files = await loadFiles(folder, { loader, signal, before: new Map() });
      let content = contentOf(files);
      return {
        content: () => content,
        async reload() {
          const changed = await loader.renew();
          if (changed.size === 0 && content.failures.length === 0) return;
          const next = await loadFiles(folder, { loader, signal, before: files });
          // No module that loads has imported a file that cannot be.
          const isBroken = (file: string): boolean => (next.get(file) ?? files.get(file))?.isBroken === true;
          files = [...changed].every(isBroken) ? withUnchanged(next, files) : next;
          content = contentOf(files);
        },
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}

/** Content of a file. */
interface LoadedFile extends ToolSourceContent {
  /** True if it could not be imported. */
  readonly isBroken?: boolean;
}

/** Content of each file of a folder, sorted by name. */
type LoadedFiles = ReadonlyMap<string, LoadedFile>;

interface LoadOptions {
  readonly loader: ModuleLoader;
  readonly signal: AbortSignal;
  /** Tools of files that loaded before stay when their files are broken now. */
  readonly before: LoadedFiles;
}

async function loadFiles(folder: string, { loader, signal, before }: LoadOptions): Promise<LoadedFiles> {
  const files = new Map<string, LoadedFile>();
  for (const file of await toolFiles(folder)) {
    if (signal.aborted) throw new KernelError('E_CANCELLED', `Loading the tools of ${folder} was cancelled`);
    const loaded = await loadFile(folder, file, loader);
    const previous = before.get(file)?.tools ?? [];
    files.set(file, loaded.failures.length > 0 && previous.length > 0 ? keep(previous, loaded) : loaded);
  }
  return files;
}

/** Returns the files with the earlier content of those that loaded before and now. */
function withUnchanged(files: LoadedFiles, before: LoadedFiles): LoadedFiles {
  const isLoaded = (loaded: LoadedFile | undefined): loaded is LoadedFile => loaded?.failures.length === 0;
  return new Map(
    Array.from(files, ([file, loaded]) => {
      const earlier = before.get(file);
      return [file, isLoaded(loaded) && isLoaded(earlier) ? earlier : loaded];
    }),
  );
}

function keep(tools: readonly AnyTool[], { failures, ...loaded }: LoadedFile): LoadedFile {
  const names = tools.map(({ name }) => name).join(', ');
  const stays = `${names} ${tools.length === 1 ? 'stays' : 'stay'} as before`;
  return {
    ...loaded,
    tools,
    failures: failures.map(({ from, message }) => ({ from, message: `${message}; ${stays}` })),
  };
}

function contentOf(files: LoadedFiles): ToolSourceContent {
  const all = [...files.values()];
  return { tools: all.flatMap(({ tools }) => tools), failures: all.flatMap(({ failures }) => failures) };
}

/** Maximum size of a file with tools. */
const maxBytes = 16_777_216;
/** Longest time that a file may take to load, top-level `await` included. */
const maxLoadMs = 30_000;

const fileName = /^[^_.].*(?<!\.d|\.test|\.spec)\.(?:ts|js|mjs)$/;

async function toolFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (fileName.test(entry)) found.push(entry);
    else if (/^[^_.][^.]*$/.test(entry) && entry !== 'node_modules') found.push(...(await nestedFiles(folder, entry)));
  }
  return found.toSorted();
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', `The tool folder ${folder} cannot be read`, { cause });
  }
}

async function nestedFiles(folder: string, entry: string): Promise<readonly string[]> {
  // Not a folder, or not a readable one: it holds no tools.
  const entries = await readdir(join(folder, entry)).catch(() => []);
  return entries.filter((name) => /^tool\.(?:ts|js|mjs)$/.test(name)).map((name) => `${entry}/${name}`);
}

async function loadFile(folder: string, file: string, loader: ModuleLoader): Promise<LoadedFile> {
  const fail = (message: string): LoadedFile => ({ tools: [], failures: [{ from: file, message }] });
  let candidates: readonly unknown[];
  const wrong = await problemWithFile(join(folder, file), maxBytes);
  if (wrong !== undefined) return fail(wrong === 'missing' ? 'is a link to nothing' : wrong);
  try {
    const { default: exported } = await withinLimit(loader.load(file));
    if (isNothing(exported)) return fail('has no default export; it must be a tool or a list of tools');
    candidates = Array.isArray(exported) ? Array.from<unknown>(exported) : [exported];
  } catch (error) {
    return { ...fail(await describe(error, join(folder, file))), isBroken: true };
  }
  const problems = candidates.map(problemWith);
  return {
    tools: candidates.filter((_, index) => problems[index] === undefined) as AnyTool[],
    failures: problems.filter((problem) => problem !== undefined).map((message) => ({ from: file, message })),
  };
}

// Node gives an empty CommonJS module an empty object as its default export.
function isNothing(exported: unknown): boolean {
  if (typeof exported !== 'object' || exported === null) return exported === undefined;
  return Object.getPrototypeOf(exported) === Object.prototype && Object.keys(exported).length === 0;
}

async function describe(error: unknown, path: string): Promise<string> {
  try {
    const place = syntaxErrorPlace(error) ?? (await placeInJavaScript(error, path));
    return place === undefined ? textOf(error) : `${textOf(error)} (${place})`;
  } catch {
    return unreadable;
  }
}

// Node reports no place for JavaScript, so a second parser finds it. `undefined` if the error is in an imported file.
async function placeInJavaScript(error: unknown, path: string): Promise<string | undefined> {
  if (!(error instanceof SyntaxError) || path.endsWith('.ts')) return undefined;
  try {
    parse(await readFile(path, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    return undefined;
  } catch (problem) {
    const { loc } = problem as { readonly loc?: { readonly line: number; readonly column: number } };
    return loc === undefined ? undefined : `${path}:${loc.line}:${loc.column + 1}`;
  }
}

async function withinLimit<Value>(loading: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`does not load within ${maxLoadMs} ms`)), maxLoadMs);
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}

const maxMessageCharacters = 2_000;
const unreadable = 'throws a value that cannot be read';

// A module may throw anything, such as an object whose getters throw.
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return text.length > maxMessageCharacters ? `${text.slice(0, maxMessageCharacters)}…` : text;
  } catch {
    return unreadable;
  }
}

function problemWith(candidate: unknown): string | undefined {
  try {
    return shapeProblem(candidate);
  } catch (error) {
    // A getter that throws affects only its own tool.
    return `exports a value that cannot be read: ${textOf(error)}`;
  }
}

function shapeProblem(candidate: unknown): string | undefined {
  if (typeof candidate !== 'object' || candidate === null)
    return `exports ${typeof candidate} where a tool is expected`;
  const tool = candidate as AnyTool;
  const { name } = tool;
  if (typeof name !== 'string' || !toolNamePattern.test(name)) {
    return `exports a tool with the name ${JSON.stringify(name)}, which must match ${toolNamePattern.source}`;
  }
  const { length } = String(tool.description);
  if (length > maxToolDescriptionCharacters) {
    return `exports ${name} with a description of ${length} characters; at most ${maxToolDescriptionCharacters} are allowed`;
  }
  if (isLocalTool(tool) || isProviderDefinedTool(tool) || isHostedTool(tool)) return undefined;
  return `exports ${name}, which has no execute, no handleCall and no providerSpecs`;
}
