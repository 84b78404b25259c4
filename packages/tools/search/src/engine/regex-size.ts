// A class, a literal text, an escape with its braces, a repeat, or one character.
const token =
  /\\Q[^]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[^]/gu;

/**
 * Returns about how many steps an engine compiles for a regular expression: its characters, with each repeat count multiplied out. Takes
 * linear time, also for text that is not a valid expression.
 */
export function regexSize(source: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  for (const [text] of source.matchAll(token)) {
    if (text === '(') {
      outer.push(size);
      size = 0;
      last = 0;
    } else if (text === ')') {
      last = size + 1;
      size = (outer.pop() ?? 0) + last;
    } else if (/^\{\d/u.test(text)) {
      const times = Math.max(...text.slice(1, -1).split(',').map(Number), 1);
      size += last * (times - 1);
      last *= times;
    } else {
      last = text.startsWith('\\Q') ? text.length : 1;
      size += last;
    }
  }
  return outer.reduce((sum, each) => sum + each, size);
}
