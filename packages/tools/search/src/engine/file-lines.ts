import type { LineMatch } from './search-engine.ts';

const maxLineCharacters = 500;

/** Lines of a file that a search has met, in their order. */
export interface MetLine {
  readonly line: number;
  readonly text: string;
  readonly isMatch: boolean;
}

/** Puts the matches of a file together with the lines around them. Lines above 500 characters are cut and end with `… [n characters]`. */
export function joinLines(path: string, lines: readonly MetLine[], contextLines: number): readonly LineMatch[] {
  const texts = contextLines === 0 ? undefined : new Map(lines.map(({ line, text }) => [line, text]));
  return lines
    .filter(({ isMatch }) => isMatch)
    .map(({ line, text }) => ({
      path,
      line,
      text: shorten(text),
      ...(texts === undefined
        ? {}
        : { before: around(texts, line, -contextLines), after: around(texts, line, contextLines) }),
    }));
}

function around(texts: ReadonlyMap<number, string>, line: number, count: number): readonly string[] {
  const [first, last] = count < 0 ? [line + count, line - 1] : [line + 1, line + count];
  const found: string[] = [];
  for (let at = first; at <= last; at += 1) {
    const text = texts.get(at);
    if (text !== undefined) found.push(shorten(text));
  }
  return found;
}

function shorten(text: string): string {
  if (text.length <= maxLineCharacters) return text;
  return `${text.slice(0, maxLineCharacters)}… [${text.length} characters]`;
}
