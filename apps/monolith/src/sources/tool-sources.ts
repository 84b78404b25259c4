import { relative } from 'node:path';
import { createFolderToolSource, createSnippetToolSource } from '@ravi/capabilities';
import { KernelError, isLocalTool } from '@ravi/kernel';
import type { AnyTool, ToolSource } from '@ravi/kernel';
import type { Installation } from '../installation.ts';
import type { LoadedWorkspace, Reloadable } from '../reload/reloadable.ts';
import type { Parts } from '../tokens.ts';
import { createHostedToolSearch } from '../tools/hosted-tool-search.ts';
import { workspaceKind } from '../workspaces/workspace-set.ts';
import { createWorkspaceSource } from '../workspaces/workspace-source.ts';
import { createAcceptedDefinitions } from './accepted-definitions.ts';
import { builtInSource, createBuiltInTools, delegatesSource } from './built-in-tools.ts';
import { createDefinitionCheck } from './definition-check.ts';
import { createLiveSource } from './live-source.ts';
import type { LiveSource, ReadingEffect, SourceFailure } from './live-source.ts';

/** Result of loading tools. */
export interface ToolReport {
  /** Local tools that declare no risk: those of own sources have `policy.defaultRisk`, all others at least `high`. */
  readonly undeclaredRisk: readonly string[];
  /** Files that could not be loaded, tools that were refused, and sources that could not be opened. */
  readonly failures: readonly { readonly source: string; readonly from: string; readonly message: string }[];
}

/** Change of the tools of a source, by their names. */
export interface SourceChange {
  readonly source: string;
  readonly added: readonly string[];
  /** Tools that were loaded again. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Files and sources that could not be loaded. The previous tools of a broken file stay. */
  readonly failures: readonly SourceFailure[];
}

/** Sources of the tools of a process. They may change while it works. */
export interface ToolSources extends AsyncDisposable, Reloadable {
  /**
   * Opens the tool folders of an installation, the sources of its plugins and its snippets, and offers their tools. A source
   * that takes longer than 30 s to open appears later; one that fails hides no other.
   * @throws KernelError `E_CONFIG_INVALID`, `E_TOOL_NAME_CONFLICT`
   */
  open(installation: Installation, ofPlugins: readonly ToolSource[]): Promise<void>;
  /** Reads the files of every source again. Calls that run keep the tool with which they began. */
  reload(): Promise<void>;
  /** Remembers the tools of now. The returned function returns what has changed since then. */
  compare(): () => readonly SourceChange[];
  /** Report of the current state. */
  readonly report: ToolReport;
  /** Calls a listener when tools are new or other ones than before. Returns a function that ends this. */
  onNewTools(listener: () => void): () => void;
  /** All sources, in the order of their tools. */
  readonly all: readonly LiveSource[];
}

/** Source whose tools the operator wrote. */
interface OwnSource {
  readonly source: ToolSource;
  readonly kind?: string;
  /** Text that differs if it is read from other folders. */
  readonly folders: string;
}

const maxStartMs = 30_000;
/** Tokens of the tools in the description of `tool_chain`: a third of what one request declares by default. */
const maxDeclaredTokens = 1_000;
/** Names that the toolbox and this service use for themselves. */
const reservedNames: readonly string[] = [builtInSource, delegatesSource, 'local'];

/** Creates the sources of a process, none of them open. */
export function createToolSources(parts: Parts): ToolSources {
  const {
    toolbox,
    toolAccess,
    invoker,
    sandbox,
    preflight,
    snippetStore: store,
    stateStore,
    durable,
    publicAddress,
    config,
    clock,
    logger,
  } = parts;
  const definitions = createAcceptedDefinitions(stateStore?.values);
  const durableChains = durable === undefined ? {} : { chains: durable.chains };
  const search = config.agent.hostedToolSearch === true ? createHostedToolSearch(parts.models) : undefined;
  // The tools of a workspace are declared to its agents.
  const isForAll = (tool: string): boolean => toolAccess.isForAll(tool) && toolbox.sourceKindOf(tool) !== workspaceKind;
  const builtIn = createBuiltInTools(
    toolbox,
    { invoker, sandbox, preflight, maxToolTokens: maxDeclaredTokens, shows: isForAll, ...durableChains },
    search,
  );
  let all: readonly LiveSource[] = [];
  const unsubscribe = toolAccess.onChange(() => updateBuiltIn());
  const listeners = new Set<() => void>();
  let isStarted = false;

  function follow({ hasFreed, hasNew }: ReadingEffect): void {
    if (!isStarted) return;
    updateBuiltIn();
    if (hasNew) for (const listener of listeners) listener();
    // A source that opened without a status never changes, and snippets are added to it elsewhere.
    for (const { state, refresh } of all) {
      if (hasFreed && state.hasConflict && state.status !== undefined) void refresh();
    }
  }

  function updateBuiltIn(): void {
    try {
      builtIn.update();
    } catch (error) {
      logger.error('the tools of the runtime cannot be offered', { error });
    }
  }

  function live(source: ToolSource, isOwn: boolean, kind?: string): LiveSource {
    const { name } = source;
    const check = createDefinitionCheck({ source: name, definitions, clock, logger });
    const signInUrl = (): string | undefined => signInPage(publicAddress.url, name);
    const withPage: ToolSource = { name, open: (options) => source.open({ ...options, signInUrl }) };
    return createLiveSource({ source: withPage, isOwn, kind, toolbox, check, onRead: follow, clock, logger });
  }

  async function openInTime({ name, open, refresh }: LiveSource): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = clock.setTimer(() => resolve('late'), maxStartMs);
    const opening = open();
    try {
      if ((await Promise.race([opening, late])) !== 'late') return;
      logger.warn('a tool source is slow to open; its tools appear later', { source: name });
      opening
        .then(refresh)
        .catch((error: unknown) => logger.error('a tool source cannot be opened', { source: name, error }));
    } finally {
      timer.cancel();
    }
  }

  function toolsOf(source: string): ReadonlyMap<string, AnyTool> {
    const tools = toolbox.all().filter(({ name }) => toolbox.sourceOf(name) === source);
    return new Map(tools.map((tool) => [tool.name, tool]));
  }

  // Names that one folder has freed may belong to another one now.
  async function refreshConflicts(): Promise<void> {
    for (const { isOwn, state, refresh } of all) if (isOwn && state.hasConflict) await refresh();
  }

  /** Folders of the sources of folders and workspaces, by their names. */
  let known: ReadonlyMap<string, string> = new Map();

  function ownSources(toolFolders: readonly string[], workspaces: readonly LoadedWorkspace[]): readonly OwnSource[] {
    return [
      ...toolFolders.map((folder) => {
        const source = createFolderToolSource(folder, { name: relative(parts.baseDir, folder) || '.' });
        return { source, folders: folder };
      }),
      ...workspaces.map((workspace) => ({
        source: createWorkspaceSource(workspace),
        kind: workspaceKind,
        folders: [workspaceKind, ...workspace.toolFolders].join('\n'),
      })),
    ];
  }

  return {
    async reload() {
      for (const source of all) if (source.isOwn) await source.reload();
      await refreshConflicts();
    },
    compare() {
      const before = new Map(all.map(({ name }) => [name, toolsOf(name)]));
      return () => {
        const now = new Map(all.map(({ name, state }) => [name, state.failures]));
        const names = [...new Set([...before.keys(), ...now.keys()])];
        return names.map((name) => changeOf(name, before.get(name), toolsOf(name), now.get(name) ?? []));
      };
    },
    async prepare({ toolFolders, workspaces }) {
      const wanted = ownSources(toolFolders, workspaces);
      const next = new Map(wanted.map(({ source: { name }, folders }) => [name, folders]));
      const isOther = (name: string): boolean => known.get(name) !== next.get(name);
      const removed = all.filter(({ name }) => known.has(name) && isOther(name));
      const added = wanted
        .filter(({ source: { name } }) => isOther(name))
        .map(({ source, kind }) => live(source, true, kind));
      if (removed.length + added.length === 0) return undefined;
      const rest = all.filter((source) => !removed.includes(source));
      const end = (sources: readonly LiveSource[]): Promise<unknown> =>
        Promise.all(sources.map((source) => source[Symbol.asyncDispose]()));
      checkNames([...rest, ...added].map(({ name }) => name));
      try {
        for (const { open } of added) await open();
      } catch (error) {
        await end(added);
        throw error;
      }
      return {
        async commit() {
          all = [...rest.filter(({ isOwn }) => isOwn), ...added, ...rest.filter(({ isOwn }) => !isOwn)];
          known = next;
          // One that is replaced keeps its tools until the new ones are there.
          for (const { name } of removed) if (!next.has(name)) toolbox.setSource(name, []);
          await end(removed);
          for (const { refresh } of added) await refresh();
          await refreshConflicts();
          follow({ hasFreed: false, hasNew: false });
        },
        discard: () => end(added).then(() => {}),
      };
    },
    async open({ config }, ofPlugins) {
      const own = ownSources(config.tools, parts.workspaces.loaded);
      known = new Map(own.map(({ source: { name }, folders }) => [name, folders]));
      const snippets = createSnippetToolSource({ store, invoker, sandbox, preflight, ...durableChains });
      all = [
        ...own.map(({ source, kind }) => live(source, true, kind)),
        ...[...ofPlugins, snippets].map((source) => live(source, false)),
      ];
      checkNames(all.map(({ name }) => name));
      // Fixes the order of the tools, however long each source takes to open.
      for (const { name } of all) toolbox.setSource(name, []);
      await Promise.all(all.map(openInTime));
      // In order: of two tools with the same name the first counts, whichever source was faster.
      for (const { refresh } of all) await refresh();
      builtIn.update();
      isStarted = true;
    },
    get report() {
      const undeclared = toolbox.all().filter((tool) => isLocalTool(tool) && tool.risk === undefined);
      const failures = all.flatMap(({ name: source, state }) => state.failures.map((one) => ({ source, ...one })));
      return {
        undeclaredRisk: undeclared.map(({ name }) => name),
        failures: [...failures, ...builtIn.failures.map((one) => ({ source: builtInSource, ...one }))],
      };
    },
    onNewTools(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get all() {
      return all;
    },
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await Promise.all(all.map((source) => source[Symbol.asyncDispose]()));
    },
  };
}

function changeOf(
  source: string,
  before: ReadonlyMap<string, AnyTool> = new Map(),
  after: ReadonlyMap<string, AnyTool>,
  failures: readonly SourceFailure[],
): SourceChange {
  return {
    source,
    added: [...after.keys()].filter((name) => !before.has(name)),
    changed: [...after].filter(([name, tool]) => before.has(name) && before.get(name) !== tool).map(([name]) => name),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    failures,
  };
}

/** Returns the page of the console on which callers sign in at a source; `undefined` while this process serves no console. */
function signInPage(publicUrl: string | undefined, source: string): string | undefined {
  return publicUrl === undefined ? undefined : `${publicUrl}/servers?signIn=${encodeURIComponent(source)}`;
}

function checkNames(names: readonly string[]): void {
  const taken = names.find((name, index) => names.indexOf(name) !== index || reservedNames.includes(name));
  if (taken === undefined) return;
  const message = `The name "${taken}" of a tool source is taken: give each of tools, workspaces and plugins.toolSource its own name`;
  throw new KernelError('E_CONFIG_INVALID', message);
}
