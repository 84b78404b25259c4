import { createBrackets } from '../brackets.ts';
import { firstOpening, maxMarkChars } from './fences.ts';
import type { Fence } from './fences.ts';

/** A piece of what a model wrote: prose, or the inside of a call block. */
export type Scanned =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly text: string; readonly isWhole: boolean };

/** What a block came to, and the text behind it. */
export interface BlockEnd {
  readonly scanned: Scanned;
  readonly rest: string;
}

/** What follows the mark that opens a call. */
export interface CallBlock {
  /** Takes more of it; once it is over, what it came to. */
  take(text: string): BlockEnd | undefined;
  /**
   * Nothing more comes.
   * @param wasCut whether a limit ended the answer
   */
  end(wasCut: boolean): BlockEnd;
}

/**
 * Reads the inside of a block to the mark that closes it. In JSON that mark may stand in a text, so it counts behind the
 * JSON alone. What is no JSON was meant as a call when it is closed, and when it is not, the opening mark was prose.
 */
export function createCallBlock(fence: Fence): CallBlock {
  const brackets = createBrackets();
  let kind: 'json' | 'words' | undefined;
  let isBehind = false;
  let text = '';
  /** The end of what was searched for marks, in which one may begin. */
  let tail = '';

  const split = (end: number, isWhole: boolean): BlockEnd => ({
    scanned: { type: 'call', text: text.slice(0, end), isWhole },
    rest: text.slice(end + fence.close.length),
  });

  return {
    take(piece) {
      text += piece;
      let from = 0;
      if (kind === undefined) {
        from = piece.search(/\S/u);
        if (from === -1) return undefined;
        kind = piece[from] === '{' || piece[from] === '[' ? 'json' : 'words';
      }
      if (kind === 'json' && !isBehind) {
        from = brackets.take(piece, from);
        if (from === -1) return undefined;
        isBehind = true;
      }
      const searched = tail + piece.slice(from);
      tail = searched.slice(1 - maxMarkChars);
      const start = text.length - searched.length;
      const end = searched.indexOf(fence.close);
      const next = kind === 'words' ? firstOpening(searched)?.at : undefined;
      if (next !== undefined && (end === -1 || next < end)) {
        return {
          scanned: { type: 'text', text: fence.open + text.slice(0, start + next) },
          rest: text.slice(start + next),
        };
      }
      return end === -1 ? undefined : split(start + end, true);
    },
    end(wasCut) {
      if (kind === 'words') return { scanned: { type: 'text', text: fence.open + text }, rest: '' };
      // A quote too many hides the mark that closes the block.
      const end = isBehind || wasCut ? -1 : text.indexOf(fence.close);
      return end === -1 ? split(text.length, false) : split(end, true);
    },
  };
}
