import { KernelError, defineToolSource } from '@ravi/kernel';
import type { Principal, SnippetStore, Tool, ToolSource } from '@ravi/kernel';
import { createSnippetTool } from './snippet-tool.ts';
import type { SnippetToolOptions } from './snippet-tool.ts';

/** Options of {@link createSnippetToolSource}. */
export interface SnippetToolSourceOptions extends SnippetToolOptions {
  readonly store: SnippetStore;
  /** Owner of the snippets; `local` when absent. */
  readonly principal?: Principal;
}

/**
 * Creates a source of the snippets of a principal as tools, each in its newest version. A snippet that cannot be read is
 * reported by name; the others still load.
 * `open` @throws KernelError `E_SNIPPET_UNAVAILABLE`, `E_CANCELLED`
 */
export function createSnippetToolSource(options: SnippetToolSourceOptions): ToolSource {
  const { store, principal = 'local' } = options;
  return defineToolSource({
    name: 'snippets',
    async load({ signal }) {
      const tools: Tool[] = [];
      const failures: { from: string; message: string }[] = [];
      for (const { name, version } of await store.list(principal)) {
        if (signal.aborted) throw new KernelError('E_CANCELLED', 'Loading the snippets was cancelled');
        try {
          const snippet = await store.get(principal, name, version);
          if (snippet !== undefined) tools.push(createSnippetTool(snippet, options));
        } catch (error) {
          failures.push({ from: name, message: error instanceof Error ? error.message : String(error) });
        }
      }
      return { tools, failures };
    },
  });
}
