import type { ModelProvider } from '@ravi/kernel';

/** A streamed answer and who reads it. */
export interface DecodeScene {
  readonly name: string;
  /** Server-sent events that hold one tool call. */
  readonly text: string;
  readonly goal: string;
  ours(answering: typeof fetch): ModelProvider;
  readonly peers: readonly DecodePeer[];
}

/** Another library that reads the same stream to its end. */
export interface DecodePeer {
  readonly name: string;
  read(answering: typeof fetch): Promise<void>;
}

/** How long a stream is, about. */
export const streamBytes = 1_048_576;

/** One event. */
export function sse(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** A long argument as a model writes it; it never ends. */
export function* argumentPieces(): Generator<string, void, undefined> {
  yield '{"text":"';
  for (;;) yield 'some words, ';
}

/** What `ai`'s models give, of which this is all that matters here. */
interface AiModel {
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<{ readonly type: string }> }>;
}

/** Reads a stream with one of `ai`'s models. */
export async function readWithAi(model: AiModel): Promise<void> {
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
  const { stream } = await model.doStream({ prompt } as never);
  for await (const part of stream) if (part.type === 'error') throw new TypeError(JSON.stringify(part));
}
