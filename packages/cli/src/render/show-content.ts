import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { visible } from './visible.ts';

/** Writes content as it is; to a terminal as text, with what the terminal would act on escaped. The output stays open. */
export function showContent(content: Readable, output: Writable & { readonly isTTY?: boolean }): Promise<void> {
  if (output.isTTY !== true) return pipeline(content, output, { end: false });
  return pipeline(content, visibleText, output, { end: false });
}

async function* visibleText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield visible(decoder.decode(chunk, { stream: true }));
  yield visible(decoder.decode());
}
