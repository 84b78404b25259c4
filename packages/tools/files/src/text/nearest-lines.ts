import { show } from '@ravi/tools-kit';

const maxLines = 200_000;
const maxWanted = 2_000;
const maxCompared = 20_000;
const maxLineLength = 300;
const shownLines = 6;

/**
 * Describes the place of a text that is most like a wanted one, with its line; an empty string if nothing is like it. Lines are compared without
 * white space at their ends; if none is equal, by their pairs of characters. The work is limited for long texts.
 */
export function describeNearest(text: string, wanted: string): string {
  const lines = text.split('\n', maxLines).map(normal);
  const parts = wanted.split('\n', maxWanted).map(normal);
  const found = byEqualLines(lines, parts) ?? byLikeness(lines, parts);
  if (found === undefined) return '';
  const { line, isEqual } = found;
  const excerpt = text
    .split('\n', line + Math.min(parts.length, shownLines))
    .slice(line)
    .map((each) => each.slice(0, maxLineLength));
  const what = isEqual ? 'The text differs only in white space from' : 'The nearest text is';
  return `${what} line ${line + 1}: ${show(excerpt.join('\n'))}`;
}

interface Found {
  /** Index of the line at which the wanted text would begin. */
  readonly line: number;
  /** True if all lines are equal but for white space. */
  readonly isEqual: boolean;
}

function normal(line: string): string {
  return line.trim().replaceAll(/\s+/gu, ' ');
}

// Counts, for each place where the wanted text could begin, the lines that are equal.
function byEqualLines(lines: readonly string[], parts: readonly string[]): Found | undefined {
  const positions = new Map<string, number[]>();
  for (const [index, part] of parts.entries()) {
    if (part === '') continue;
    const known = positions.get(part);
    // A line that is repeated many times says little about the place.
    if (known === undefined) positions.set(part, [index]);
    else if (known.length < 8) known.push(index);
  }
  const scores = new Map<number, number>();
  let best: number | undefined;
  for (const [index, line] of lines.entries()) {
    for (const position of positions.get(line) ?? []) {
      const begin = index - position;
      const score = (scores.get(begin) ?? 0) + 1;
      scores.set(begin, score);
      if (begin >= 0 && (best === undefined || score > (scores.get(best) ?? 0))) best = begin;
    }
  }
  if (best === undefined) return undefined;
  const begin = best;
  return { line: begin, isEqual: parts.every((part, index) => part === (lines[begin + index] ?? '')) };
}

function byLikeness(lines: readonly string[], parts: readonly string[]): Found | undefined {
  const longest = parts.reduce((best, part, index) => (part.length > (parts[best]?.length ?? 0) ? index : best), 0);
  const wanted = pairsOf(parts[longest] ?? '');
  let best = 0.4;
  let line: number | undefined;
  for (const [index, each] of lines.slice(0, maxCompared).entries()) {
    const pairs = pairsOf(each);
    let common = 0;
    for (const pair of pairs) if (wanted.has(pair)) common += 1;
    const likeness = (2 * common) / Math.max(1, pairs.size + wanted.size);
    if (likeness > best) [best, line] = [likeness, index];
  }
  return line === undefined ? undefined : { line: Math.max(0, line - longest), isEqual: false };
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.slice(0, maxLineLength);
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index += 1) pairs.add(text.slice(index, index + 2));
  return pairs;
}
