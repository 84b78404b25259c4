import type { ContentBlock, JsonValue, UnknownBlock } from '@ravi/kernel';
import { isForeign, isJsonObject } from '@ravi/provider-kit';
import type { ArrangedTurns } from '@ravi/provider-kit';

/** Marks the block in which a decoder keeps which container an answer used; it goes back beside the messages. */
export const containerType = 'container';

/** What of the provider's own blocks goes back. */
export interface ServerBlocks {
  /** Whether a block does: one that this source wrote, and as a pair where it is half of one. */
  isKept(block: UnknownBlock): boolean;
  /** Whether the call of a tool that the provider runs does. */
  hasCall(id: string): boolean;
  /** The newest container, which scripts of the conversation live in. */
  readonly container: string | undefined;
  /** How many blocks stay behind. */
  readonly dropped: number;
}

/**
 * Pairs calls that the provider ran with their results, which may stand in a later answer: a script that calls tools of
 * ours ends after them. A call without a result goes back only while nothing but results follows it.
 */
export function pairServerBlocks(turns: ArrangedTurns['turns'], source: string): ServerBlocks {
  const kept = new Set<ContentBlock>();
  const open = new Map<string, UnknownBlock>();
  const closed = new Set<string>();
  let container: string | undefined;
  let dropped = 0;

  const take = (block: UnknownBlock): void => {
    const { type, id, tool_use_id: answers } = isJsonObject(block.raw) ? block.raw : {};
    if (type === containerType) {
      if (typeof id === 'string' && !isForeign(block, source)) container = id;
      return;
    }
    dropped++;
    if (isForeign(block, source)) return;
    if (typeof answers === 'string') {
      const call = open.get(answers);
      if (call === undefined) return;
      open.delete(answers);
      closed.add(answers);
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
