/**
 * True if a pattern matches the whole text. `*` stands for any characters, also none; every other character for itself. It compares
 * without a regular expression: the time is at most the product of both lengths, for any pattern and text.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const first = pattern.indexOf('*');
  if (first === -1) return pattern === text;
  const isOnly = !pattern.includes('*', first + 1);
  if (!isOnly) return matchesStars(pattern, text);
  // Most patterns: a beginning, an end, and anything between them.
  return (
    text.length >= pattern.length - 1 &&
    text.startsWith(pattern.slice(0, first)) &&
    text.endsWith(pattern.slice(first + 1))
  );
}

function matchesStars(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let resumeAt = 0;
  while (at < text.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern++;
      resumeAt = at;
    } else if (pattern[inPattern] === text[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}
