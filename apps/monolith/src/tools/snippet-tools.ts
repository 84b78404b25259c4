import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createSnippetTool } from '@ravi/capabilities';
import type { Preflight } from '@ravi/capabilities';
import type { Principal, Sandbox, Snippet } from '@ravi/kernel';

/** Keeps the toolbox at what is saved. */
export interface SnippetTools {
  /** Makes a snippet a tool, in place of its version of before. */
  offer(snippet: Snippet): void;
  withdraw(principal: Principal, name: string): void;
}

/** Whose snippets are tools of the agent: those of the owner of the machine. Others run theirs by name. */
const snippetOwner: Principal = 'local';

/** The source by which the toolbox knows these tools. */
const snippetSource = 'snippets';

/** Options of {@link createSnippetTools}. */
export interface SnippetToolsOptions {
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  readonly preflight: Preflight | false;
}

/** Snippets that are saved and deleted while the process lives. */
export function createSnippetTools({ toolbox, invoker, sandbox, preflight }: SnippetToolsOptions): SnippetTools {
  return {
    offer(snippet) {
      if (snippet.principal !== snippetOwner) return;
      toolbox.add(createSnippetTool(snippet, { invoker, sandbox, preflight }), { source: snippetSource });
    },
    withdraw(principal, name) {
      if (principal === snippetOwner) toolbox.remove(name);
    },
  };
}
