import { createCallBlock } from './call-block.ts';
import type { BlockEnd, CallBlock, Scanned } from './call-block.ts';
import { firstOpening, possibleOpening } from './fences.ts';

/**
 * Scanner for call blocks in text that arrives in pieces. Prose passes through at once, except for a possible start of
 * a block.
 */
export interface CallScanner {
  push(text: string): Scanned[];
  /**
   * Returns the rest; an open block becomes an incomplete call.
   * @param wasCut true if a limit ended the response
   */
  end(wasCut: boolean): Scanned[];
}

/** Creates a scanner for one response. */
export function createCallScanner(): CallScanner {
  /** Text outside blocks that is not yet returned. */
  let buffer = '';
  let block: CallBlock | undefined;

  const leave = ({ scanned, rest }: BlockEnd): Scanned => {
    block = undefined;
    buffer = rest;
    return scanned;
  };

  const step = (): Scanned | undefined => {
    if (block !== undefined) {
      const inside = buffer;
      buffer = '';
      const end = block.take(inside);
      return end === undefined ? undefined : leave(end);
    }
    const next = firstOpening(buffer);
    if (next !== undefined) {
      const text = buffer.slice(0, next.at);
      buffer = buffer.slice(next.at + next.fence.open.length);
      block = createCallBlock(next.fence);
      return { type: 'text', text };
    }
    const safe = buffer.length - possibleOpening(buffer);
    if (safe === 0) return undefined;
    const text = buffer.slice(0, safe);
    buffer = buffer.slice(safe);
    return { type: 'text', text };
  };

  const push = (text: string): Scanned[] => {
    buffer += text;
    const found: Scanned[] = [];
    for (let scanned = step(); scanned !== undefined; scanned = step()) {
      if (scanned.type === 'call' || scanned.text !== '') found.push(scanned);
    }
    return found;
  };

  return {
    push,
    end(wasCut) {
      const found: Scanned[] = [];
      while (block !== undefined) found.push(leave(block.end(wasCut)), ...push(''));
      if (buffer !== '') found.push({ type: 'text', text: buffer });
      buffer = '';
      return found;
    },
  };
}
