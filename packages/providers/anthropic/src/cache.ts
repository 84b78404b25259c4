import type { JsonObject } from '@ravi/kernel';
import type { WireMessage } from './messages.ts';
import type { CacheMode } from './wire-settings.ts';

/** The parts of a request in the order in which they are cached. */
export interface CachedParts {
  readonly tools: readonly JsonObject[];
  readonly system: string | undefined;
  readonly messages: readonly WireMessage[];
}

/**
 * Marks where the cached beginning of a request ends: behind what stays the same in a conversation (tools and system
 * prompt), and behind all of it, from where the next request goes on.
 */
export function withCacheMarks(
  { tools, system: given = '', messages }: CachedParts,
  mode: CacheMode,
): { readonly tools: readonly JsonObject[]; readonly system: unknown; readonly messages: readonly WireMessage[] } {
  // A block of white space is refused.
  const system = given.trim() === '' ? '' : given;
  if (mode === 'none') return { tools, system: system === '' ? undefined : system, messages };
  const mark = { cache_control: { type: 'ephemeral', ...(mode === '1h' ? { ttl: mode } : {}) } };
  return {
    tools: system === '' ? markedTools(tools, mark) : tools,
    system: system === '' ? undefined : [{ type: 'text', text: system, ...mark }],
    messages: markedMessages(messages, mark),
  };
}

/** A tool that is loaded later cannot carry a mark; where a tool has one already, its owner sees to them. */
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
