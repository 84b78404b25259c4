import { applyEdits } from './text-edit.ts';

/**
 * A script whose last lines are an object literal, with that in parentheses: a function body takes it for a block.
 * `undefined` when there is none, or the text stops being a script before it.
 */
export function withTrailingObject(text: string, problemOffset: number): ReturnType<typeof applyEdits> | undefined {
  const start = trailingBrace(text);
  if (start === undefined || start > problemOffset) return undefined;
  const end = text.trimEnd().replace(/;$/, '').length;
  return applyEdits(text, [
    { start, end: start, text: '(' },
    { start: end, end, text: ')' },
  ]);
}

// It opens a line, and closes one with the same indentation.
function trailingBrace(text: string): number | undefined {
  const trimmed = text.trimEnd();
  let lineStart = trimmed.lastIndexOf('\n') + 1;
  const indentation = /^[ \t]*/.exec(trimmed.slice(lineStart))?.[0] ?? '';
  if (trimmed.startsWith('{', lineStart + indentation.length)) return lineStart + indentation.length;
  if (!trimmed.startsWith('}', lineStart + indentation.length)) return undefined;
  while (lineStart > 0) {
    lineStart = trimmed.lastIndexOf('\n', lineStart - 2) + 1;
    if (trimmed.startsWith(`${indentation}{`, lineStart)) return lineStart + indentation.length;
  }
  return undefined;
}
