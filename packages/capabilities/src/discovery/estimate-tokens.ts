// A space joins a word, but not a number.
const piece = /[A-Za-z]+|\p{L}|\d{1,3}|[^\S\n](?:[^\S\n]+|(?=\d))|\n+|[^\s\w]+|_/gu;

/**
 * How many tokens a model counts for a text, without a tokenizer's tables: measured over the declarations of 3413 real
 * tools it is 7 to 41 % above what `o200k_base` counts, never below.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(piece)) {
    if (/^[A-Za-z]/.test(part)) tokens += Math.ceil(part.length / 8);
    else tokens += /^[^\s\w\p{L}]/u.test(part) ? Math.ceil(part.length / 3) : 1;
  }
  return tokens;
}
