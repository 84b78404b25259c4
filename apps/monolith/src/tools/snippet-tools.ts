import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createSnippetTool } from '@ravi/capabilities';
import type { DurableChains, Preflight } from '@ravi/capabilities';
import { isKernelError } from '@ravi/kernel';
import type { Logger, Principal, Sandbox, Snippet, SnippetEntry, SnippetStore } from '@ravi/kernel';

/** Keeps the toolbox in step with the snippet store. */
export interface SnippetTools {
  /** True if the snippets of a principal become tools. */
  offers(principal: Principal): boolean;
  /** Adds a snippet as a tool and replaces its previous version. */
  offer(snippet: Snippet): void;
  /** Removes the tool of a snippet. */
  withdraw(principal: Principal, name: string): void;
  /** Offers the snippets that other servers have saved, and withdraws those that they have deleted. */
  update(): Promise<void>;
}

/** Principal whose snippets become tools of the agent. Other principals run their snippets by name. */
const snippetOwner: Principal = 'local';

/** Source of these tools in the toolbox. */
const snippetSource = 'snippets';

/** Options of {@link createSnippetTools}. */
export interface SnippetToolsOptions {
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  readonly preflight: Preflight | false;
  readonly snippetStore: SnippetStore;
  readonly logger: Logger;
  /** Makes the scripts of agents durable. */
  readonly durable: { readonly chains: Pick<DurableChains, 'runWithin'> } | undefined;
}

/** Creates the tools of snippets that are saved and deleted while the process runs. */
export function createSnippetTools({
  toolbox,
  invoker,
  sandbox,
  preflight,
  snippetStore: store,
  logger,
  durable,
}: SnippetToolsOptions): SnippetTools {
  const chains = durable === undefined ? {} : { chains: durable.chains };
  const offers = (principal: Principal): boolean => principal === snippetOwner;
  /** Versions of the snippets that are tools, or cannot become one. */
  const known = new Map<string, number>();

  function offer(snippet: Snippet): void {
    if (!offers(snippet.principal)) return;
    toolbox.add(createSnippetTool(snippet, { invoker, sandbox, preflight, ...chains }), { source: snippetSource });
    known.set(snippet.name, snippet.version);
  }

  async function offerNewest({ name, version }: SnippetEntry): Promise<void> {
    // Those from before the start were loaded by their source.
    if (known.get(name) === version || (!known.has(name) && toolbox.sourceOf(name) === snippetSource)) {
      known.set(name, version);
      return;
    }
    // Before it can fail, so that one that cannot become a tool is reported once.
    known.set(name, version);
    try {
      const snippet = await store.get(snippetOwner, name, version);
      if (snippet !== undefined) offer(snippet);
    } catch (error) {
      if (isKernelError(error, 'E_SNIPPET_UNAVAILABLE')) known.delete(name);
      logger.warn('a snippet of another server does not become a tool', { snippet: name, error });
    }
  }

  return {
    offers,
    offer,
    withdraw(principal, name) {
      if (!offers(principal)) return;
      known.delete(name);
      if (toolbox.sourceOf(name) === snippetSource) toolbox.remove(name);
    },
    async update() {
      const entries = await store.list(snippetOwner);
      for (const entry of entries) await offerNewest(entry);
      const names = new Set(entries.map(({ name }) => name));
      const loaded = toolbox.names().filter((name) => toolbox.sourceOf(name) === snippetSource);
      for (const name of new Set([...known.keys(), ...loaded])) {
        // One that was saved here meanwhile is not on the list.
        if (names.has(name) || (await store.versions(snippetOwner, name)).length > 0) continue;
        known.delete(name);
        if (toolbox.sourceOf(name) === snippetSource) toolbox.remove(name);
      }
    },
  };
}
