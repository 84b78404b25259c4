import type { ModelProvider } from '@ravi/kernel';

/** Streamed response and its readers. */
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

/** Approximate length of a stream. */
export const streamBytes = 1_048_576;

/** Encodes one event. */
export function sse(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Yields pieces of a long argument as a model writes it, without end. */
export function* argumentPieces(): Generator<string, void, undefined> {
  yield '{"text":"';
  for (;;) yield 'some words, ';
}

/** Part of the models of `ai` that is used here. */
interface AiModel {
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<{ readonly type: string }> }>;
}

/** Reads a stream with one of `ai`'s models. */
export async function readWithAi(model: AiModel): Promise<void> {
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
  const { stream } = await model.doStream({ prompt } as never);
  for await (const part of stream) if (part.type === 'error') throw new TypeError(JSON.stringify(part));
}
