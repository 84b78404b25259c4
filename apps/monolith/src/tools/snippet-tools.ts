import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createSnippetTool } from '@ravi/capabilities';
import type { DurableChains, Preflight } from '@ravi/capabilities';
import type { Principal, Sandbox, Snippet } from '@ravi/kernel';

/** Keeps the toolbox in step with the snippet store. */
export interface SnippetTools {
  /** True if the snippets of a principal become tools. */
  offers(principal: Principal): boolean;
  /** Adds a snippet as a tool and replaces its previous version. */
  offer(snippet: Snippet): void;
  /** Removes the tool of a snippet. */
  withdraw(principal: Principal, name: string): void;
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
  /** Makes the scripts of agents durable. */
  readonly durable: { readonly chains: Pick<DurableChains, 'runWithin'> } | undefined;
}

/** Creates the tools of snippets that are saved and deleted while the process runs. */
export function createSnippetTools({
  toolbox,
  invoker,
  sandbox,
  preflight,
  durable,
}: SnippetToolsOptions): SnippetTools {
  const chains = durable === undefined ? {} : { chains: durable.chains };
  const offers = (principal: Principal): boolean => principal === snippetOwner;
  return {
    offers,
    offer(snippet) {
      if (!offers(snippet.principal)) return;
      toolbox.add(createSnippetTool(snippet, { invoker, sandbox, preflight, ...chains }), { source: snippetSource });
    },
    withdraw(principal, name) {
      if (offers(principal)) toolbox.remove(name);
    },
  };
}
