/** A part of a text and where it starts in it. */
export interface TextPart {
  readonly text: string;
  readonly start: number;
}

const opening = /^(?:[ \t]*\r?\n)*[ \t]*(`{3,}|~{3,})[^\n`]*(?:\n|$)/;

/**
 * The script inside a Markdown fence, when the text starts with one; otherwise the text itself without a byte order
 * mark. A fence that was never closed counts as well: models are cut off. Fences inside the script stay, because only
 * the last line ends it.
 */
export function unwrapFence(source: string): TextPart {
  const start = source.startsWith('\uFEFF') ? 1 : 0;
  const text = source.slice(start);
  const match = opening.exec(text);
  if (match === null) return { text, start };
  const inside = text.slice(match[0].length);
  const trimmed = inside.trimEnd();
  const lastLine = trimmed.lastIndexOf('\n') + 1;
  const closed = trimmed.slice(lastLine).trim() === match[1];
  return { text: closed ? inside.slice(0, lastLine) : inside, start: start + match[0].length };
}
