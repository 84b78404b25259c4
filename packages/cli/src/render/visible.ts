import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Escapes the control and format characters of text that a model, a tool or a server wrote, so that a terminal does not act
 * on them. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, (character) =>
    [...character].map((part) => `\\u{${(part.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  );
}

/** Writes content unchanged, or to a terminal as escaped text. The output stays open. */
export function showContent(content: Readable, output: Writable & { readonly isTTY?: boolean }): Promise<void> {
  if (output.isTTY !== true) return pipeline(content, output, { end: false });
  return pipeline(content, visibleText, output, { end: false });
}

async function* visibleText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield visible(decoder.decode(chunk, { stream: true }));
  yield visible(decoder.decode());
}
