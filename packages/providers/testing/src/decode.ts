import type { ModelEvent } from '@ravi/kernel';
import { createSseSplitter } from '@ravi/provider-kit';
import type { ModelDecoder } from '@ravi/provider-kit';
import { collectEvents } from '@ravi/testkit';
import type { CollectedAnswer } from '@ravi/testkit';

/** Creates the decoder of one response. */
export type DecoderFactory = (emit: (event: ModelEvent) => void) => ModelDecoder;

/** Decodes a stream of server-sent events that arrives in these pieces. */
export function decodeStream(create: DecoderFactory, pieces: Iterable<string>): CollectedAnswer {
  return collected(create, (decoder) => {
    const splitter = createSseSplitter((data, name) => decoder.event(data, name));
    for (const piece of pieces) splitter.push(piece);
    splitter.end();
  });
}

/** Decodes a response that is one body. */
export function decodeBody(create: DecoderFactory, body: unknown): CollectedAnswer {
  return collected(create, (decoder) => decoder.body(body));
}

/** Yields the text decoded byte by byte: most pieces of a multi-byte character are empty. */
export function* inBytes(text: string): Generator<string, void, undefined> {
  const decoder = new TextDecoder();
  for (const byte of new TextEncoder().encode(text)) yield decoder.decode(Uint8Array.of(byte), { stream: true });
}

function collected(create: DecoderFactory, feed: (decoder: ModelDecoder) => void): CollectedAnswer {
  const events: ModelEvent[] = [];
  const decoder = create((event) => events.push(event));
  feed(decoder);
  decoder.end();
  return collectEvents(events);
}
