import type { ContentBlock, JsonValue, UnknownBlock } from '@ravi/kernel';
import { isForeign, isJsonObject } from '@ravi/provider-kit';
import type { ArrangedTurns } from '@ravi/provider-kit';

/** Type of the block that stores the container of a response; requests send it next to the messages. */
export const containerType = 'container';

/** Provider blocks of a conversation that are sent back. */
export interface ServerBlocks {
  /** Returns true if a block is sent back: it has this source and, if it is part of a pair, its counterpart. */
  isKept(block: UnknownBlock): boolean;
  /** Returns true if the provider-executed call with this id is sent back. */
  hasCall(id: string): boolean;
  /** The newest container, in which scripts of the conversation run. */
  readonly container: string | undefined;
  /** Number of blocks that are not sent back. */
  readonly dropped: number;
}

/**
 * Pairs provider-executed calls with their results, which may be in a later response: a script that calls our tools
 * ends after them. A call without a result is sent back only while nothing but results follows it.
 */
export function pairServerBlocks(turns: ArrangedTurns['turns'], source: string): ServerBlocks {
  const kept = new Set<ContentBlock>();
  const open = new Map<string, UnknownBlock>();
  const closed = new Set<string>();
  let container: string | undefined;
  let dropped = 0;

  const take = (block: UnknownBlock): void => {
    const { type, id, tool_use_id: toolUseId } = isJsonObject(block.raw) ? block.raw : {};
    if (type === containerType) {
      if (typeof id === 'string' && !isForeign(block, source)) container = id;
      return;
    }
    dropped++;
    if (isForeign(block, source)) return;
    if (typeof toolUseId === 'string') {
      const call = open.get(toolUseId);
      if (call === undefined) return;
      open.delete(toolUseId);
      closed.add(toolUseId);
      kept.add(call).add(block);
      dropped -= 2;
    } else if (isCall(type) && typeof id === 'string') open.set(id, block);
    else {
      kept.add(block);
      dropped--;
    }
  };

  for (const turn of turns) {
    if (turn.role === 'user') {
      open.clear();
      continue;
    }
    for (const block of turn.content) {
      if (block.type === 'unknown') take(block);
    }
  }
  for (const block of open.values()) kept.add(block);
  return {
    isKept: (block) => kept.has(block),
    hasCall: (id) => closed.has(id) || open.has(id),
    container,
    dropped: dropped - open.size,
  };
}

function isCall(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && type.endsWith('tool_use');
}
