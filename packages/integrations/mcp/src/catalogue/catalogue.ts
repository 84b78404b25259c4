import type { ToolSourceContent, AnyTool } from '@ravi/kernel';
import type { Connection } from '../connection/connection.ts';
import type { McpLimits } from '../options.ts';
import { listPages } from './list-pages.ts';
import type { ListedTool, ListFailure } from './listed-tool.ts';
import { readTool } from './read-tool.ts';

/** Tools that a server lists, checked one by one. */
export interface ListedTools {
  readonly tools: readonly ListedTool[];
  readonly failures: readonly ListFailure[];
  /** Milliseconds for which the list may be used; absent if the server says nothing about it. */
  readonly ttlMs?: number;
}

/** Reads the tools of a server. */
export async function listTools(connection: Connection, limits: McpLimits, signal: AbortSignal): Promise<ListedTools> {
  if (connection.client.getServerCapabilities()?.tools === undefined) return { tools: [], failures: [] };
  const { entries, isCut, ttlMs } = await listPages(connection.client, 'tools', limits, signal);
  const tools: ListedTool[] = [];
  const failures: ListFailure[] = isCut
    ? [{ from: 'tools/list', message: `lists more than ${limits.tools} tools (limits.tools); the first ones count` }]
    : [];
  for (const entry of entries) {
    const read = readTool(entry, limits);
    if ('message' in read) failures.push(read);
    else tools.push(read);
  }
  return { tools, failures, ...(ttlMs === undefined ? {} : { ttlMs }) };
}

/** Content of a source that keeps its identity, and that of each tool, until it changes. */
export class StableContent {
  #content: ToolSourceContent = { tools: [], failures: [] };
  #key = '';
  #tools = new Map<string, { readonly key: string; readonly tool: AnyTool }>();

  get current(): ToolSourceContent {
    return this.#content;
  }

  /** Replaces the content and returns true, or returns false if nothing has changed. `make` is called for new and changed tools. */
  replace(
    listed: readonly { readonly name: string; readonly definition: unknown; readonly make: () => AnyTool }[],
    failures: readonly ListFailure[],
  ): boolean {
    const tools = new Map<string, { readonly key: string; readonly tool: AnyTool }>();
    for (const { name, definition, make } of listed) {
      const key = JSON.stringify(definition);
      const known = this.#tools.get(name);
      tools.set(name, known?.key === key ? known : { key, tool: make() });
    }
    const key = JSON.stringify([[...tools].map(([name, { key: of }]) => [name, of]), failures]);
    if (key === this.#key) return false;
    this.#key = key;
    this.#tools = tools;
    this.#content = { tools: Array.from(tools.values(), ({ tool }) => tool), failures };
    return true;
  }
}
