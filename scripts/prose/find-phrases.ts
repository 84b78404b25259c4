/** A phrase that the repository does not use, and advice for the writer. */
export interface BannedPhrase {
  /** Must be global. A space matches any white space, also the break between two comment lines. */
  readonly pattern: RegExp;
  readonly instead: string;
}

/** One place in a text where a banned phrase is used. */
export interface FoundPhrase {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly instead: string;
}

// A line break inside a comment, a list or a quotation, with the marks that begin the next line.
const lineBreak = /\r?\n[ \t]*(?:\*(?!\/)|\/\/+|#+|>|--)?[ \t]*/g;

/** Finds every banned phrase of a text, in the order of the lines. */
export function findPhrases(text: string, phrases: readonly BannedPhrase[]): readonly FoundPhrase[] {
  const { joined, lineAt } = joinLines(text);
  const found = phrases.flatMap(({ pattern, instead }) =>
    [...joined.matchAll(pattern)].map((match) => ({ line: lineAt(match.index), text: match[0].trim(), instead })),
  );
  return found.toSorted((left, right) => left.line - right.line);
}

/** Joins lines with a single space, and keeps where each line began. */
function joinLines(text: string): { readonly joined: string; readonly lineAt: (index: number) => number } {
  const starts: number[] = [0];
  let joined = '';
  let from = 0;
  for (const match of text.matchAll(lineBreak)) {
    joined += `${text.slice(from, match.index)} `;
    starts.push(joined.length);
    from = match.index + match[0].length;
  }
  joined += text.slice(from);
  return { joined, lineAt: (index) => starts.findLastIndex((start) => start <= index) + 1 };
}
