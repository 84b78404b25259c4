import { setImmediate as nextTurn } from 'node:timers/promises';
import { countTokens as countPiece } from 'gpt-tokenizer/encoding/o200k_base';

/** The vocabulary that counts are made with. */
export const vocabulary = 'o200k_base';

const pieceCharacters = 65_536;

/**
 * Tokens of a text. It is counted in pieces, so that ten megabytes do not block the event loop; each cut may split a token and add one.
 */
export async function countTokens(text: string): Promise<number> {
  let tokens = 0;
  for (let start = 0; start < text.length; start += pieceCharacters) {
    tokens += countPiece(text.slice(start, start + pieceCharacters));
    await nextTurn();
  }
  return tokens;
}
