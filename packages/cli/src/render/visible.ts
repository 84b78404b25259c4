import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeHidden } from '@ravi/support';

export { escapeHidden as visible };

/** Writes content unchanged, or to a terminal as escaped text. The output stays open. */
export function showContent(content: Readable, output: Writable & { readonly isTTY?: boolean }): Promise<void> {
  if (output.isTTY !== true) return pipeline(content, output, { end: false });
  return pipeline(content, visibleText, output, { end: false });
}

async function* visibleText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield escapeHidden(decoder.decode(chunk, { stream: true }));
  yield escapeHidden(decoder.decode());
}
