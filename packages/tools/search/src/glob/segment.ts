type Token = { readonly kind: 'star' } | { readonly kind: 'one'; readonly accepts: (character: string) => boolean };

/** Test of one part of a path, the text between two slashes. Takes time proportional to the length of both texts, multiplied. */
export type SegmentTest = (text: string) => boolean;

/** Compiles one part of a pattern: `*`, `?`, `[abc]`, `[a-z]`, `[!abc]`, and `\` before a character that is meant as it is. */
export function compileSegment(pattern: string): SegmentTest {
  if (pattern === '*') return (text) => text !== '';
  if (!/[*?[\\]/u.test(pattern)) return (text) => text === pattern;
  if (/^\*[^*?[\\]+$/u.test(pattern)) {
    const end = pattern.slice(1);
    return (text) => text.endsWith(end);
  }
  const tokens = readTokens(pattern);
  return (text) => matchesTokens(tokens, text);
}

function readTokens(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') {
      tokens.push({ kind: 'one', accepts: () => true });
    } else if (character === '[') {
      const end = endOfSet(pattern, at);
      tokens.push({ kind: 'one', accepts: end === -1 ? (each) => each === '[' : readSet(pattern.slice(at + 1, end)) });
      if (end !== -1) at = end;
    } else {
      const literal = character === '\\' && at + 1 < pattern.length ? pattern.charAt((at += 1)) : character;
      tokens.push({ kind: 'one', accepts: (each) => each === literal });
    }
  }
  return tokens;
}

// A `]` directly after the opening, or after the negation, is part of the set.
function endOfSet(pattern: string, start: number): number {
  let from = start + 1;
  if (pattern[from] === '!' || pattern[from] === '^') from += 1;
  return pattern.indexOf(']', from + 1);
}

function readSet(text: string): (character: string) => boolean {
  const isNegated = text.startsWith('!') || text.startsWith('^');
  const body = isNegated ? text.slice(1) : text;
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let at = 0; at < body.length; at += 1) {
    const from = body.charAt(at);
    const isRange = body[at + 1] === '-' && at + 2 < body.length;
    ranges.push([from, isRange ? body.charAt(at + 2) : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

// Goes back to the last star only: an earlier one cannot help where the last one fails.
function matchesTokens(tokens: readonly Token[], text: string): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let tried = 0;
  while (at < text.length) {
    const next = tokens[token];
    if (next?.kind === 'one' && next.accepts(text.charAt(at))) {
      token += 1;
      at += 1;
    } else if (next?.kind === 'star') {
      star = token;
      tried = at;
      token += 1;
    } else if (star !== -1) {
      token = star + 1;
      tried += 1;
      at = tried;
    } else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === 'star');
}
