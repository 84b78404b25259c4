import type { JsonObject } from '@ravi/kernel';
import type { WireMessage } from './messages.ts';
import type { CacheMode } from './wire-settings.ts';

/** Parts of a request in caching order. */
export interface CachedParts {
  readonly tools: readonly JsonObject[];
  readonly system: string | undefined;
  readonly messages: readonly WireMessage[];
}

/**
 * Marks the ends of the cached prefix: after the parts that stay the same in a conversation (tools and system prompt),
 * and at the end, where the next request continues.
 */
export function withCacheMarks(
  { tools, system: given = '', messages }: CachedParts,
  mode: CacheMode,
): { readonly tools: readonly JsonObject[]; readonly system: unknown; readonly messages: readonly WireMessage[] } {
  // The API rejects a block of white space.
  const system = given.trim() === '' ? '' : given;
  if (mode === 'none') return { tools, system: system === '' ? undefined : system, messages };
  const mark = { cache_control: { type: 'ephemeral', ...(mode === '1h' ? { ttl: mode } : {}) } };
  return {
    tools: system === '' ? markedTools(tools, mark) : tools,
    system: system === '' ? undefined : [{ type: 'text', text: system, ...mark }],
    messages: markedMessages(messages, mark),
  };
}

/**
 * Marks the last tool. A deferred tool cannot carry a mark; if a tool already has one, the caller manages the marks.
 */
function markedTools(tools: readonly JsonObject[], mark: JsonObject): readonly JsonObject[] {
  const last = tools.findLastIndex((tool) => tool['defer_loading'] !== true);
  if (tools.some((tool) => 'cache_control' in tool)) return tools;
  return tools.map((tool, at) => (at === last ? { ...tool, ...mark } : tool));
}

function markedMessages(messages: readonly WireMessage[], mark: JsonObject): readonly WireMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return messages;
  const content = last.content.map((block, at) => (at === last.content.length - 1 ? { ...block, ...mark } : block));
  return [...messages.slice(0, -1), { ...last, content }];
}
