import { createBrackets } from '../brackets.ts';
import { firstOpening, maxMarkChars } from './fences.ts';
import type { Fence } from './fences.ts';

/** Piece of a model's text: prose, or the inside of a call block. */
export type Scanned =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly text: string; readonly isWhole: boolean };

/** Result of a block and the text after it. */
export interface BlockEnd {
  readonly scanned: Scanned;
  readonly rest: string;
}

/** Reader of the text after the mark that opens a call. */
export interface CallBlock {
  /** Reads more text. Returns the result once the block ends. */
  take(text: string): BlockEnd | undefined;
  /**
   * Ends the block.
   * @param wasCut true if a limit ended the response
   */
  end(wasCut: boolean): BlockEnd;
}

/**
 * Creates a reader of a block up to its closing mark. JSON strings may contain that mark, so it counts only after the
 * JSON. A block that is not JSON counts as a call if it is closed; otherwise the opening mark was prose.
 */
export function createCallBlock(fence: Fence): CallBlock {
  const brackets = createBrackets();
  let kind: 'json' | 'words' | undefined;
  let isBehind = false;
  let text = '';
  /** The end of the searched text, where a mark may begin. */
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
      // An extra quote hides the closing mark.
      const end = isBehind || wasCut ? -1 : text.indexOf(fence.close);
      return end === -1 ? split(text.length, false) : split(end, true);
    },
  };
}
