import { KernelError } from '@ravi/kernel';
import type { ModelError, ModelEvent } from '@ravi/kernel';
import { createBodyReader } from './body-reader.ts';
import type { BodyReader, ModelDecoder } from './body-reader.ts';
import type { Deadlines } from './deadlines.ts';
import { modelError, thrownError } from './http-error.ts';

/** Options of {@link readResponse}. */
export interface ReadOptions {
  readonly signal: AbortSignal;
  readonly deadlines: Deadlines;
  /** A longer response ends with an error. */
  readonly maxResponseBytes: number;
}

/**
 * Yields the events of an HTTP response, streamed or whole. The last one is `finish` or `error`. Deltas that arrive
 * together are joined.
 */
export async function* readResponse(
  response: Response,
  call: { createDecoder(emit: (event: ModelEvent) => void): ModelDecoder },
  options: ReadOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { deadlines, maxResponseBytes } = options;
  const reader = response.body?.getReader();
  const bytes = new TextDecoder();
  let body: BodyReader | undefined;
  let queue: ModelEvent[] = [];
  let bytesLeft = maxResponseBytes;
  const emit = (event: ModelEvent): void => {
    if (event.type !== 'usage') deadlines.begin();
    const last = queue.at(-1);
    const joined = last === undefined ? undefined : joinedDelta(last, event);
    if (joined === undefined) queue.push(event);
    else queue[queue.length - 1] = joined;
  };
  const take = (value: Uint8Array | undefined): void => {
    body ??= createBodyReader(call.createDecoder(emit), response.headers.get('content-type') ?? '', deadlines);
    if (value !== undefined) return body.push(bytes.decode(value, { stream: true }));
    body.push(bytes.decode());
    return body.end();
  };
  try {
    for (let isOver = false; !isOver;) {
      const chunk = reader === undefined ? missingBody(response) : await readChunk(reader, options);
      isOver = 'failure' in chunk || chunk.value === undefined;
      try {
        bytesLeft -= 'value' in chunk ? (chunk.value?.byteLength ?? 0) : 0;
        if (bytesLeft < 0) throw tooLong(maxResponseBytes);
        if ('failure' in chunk) emit({ type: 'error', error: chunk.failure });
        else take(chunk.value);
      } catch (error) {
        isOver = true;
        emit({ type: 'error', error: thrownError('The response could not be decoded', error) });
      }
      const events = queue;
      queue = [];
      for (const event of events) {
        yield event;
        if (event.type === 'finish' || event.type === 'error') return;
      }
    }
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

/** Joins two consecutive deltas of the same block; `undefined` for others. */
function joinedDelta(last: ModelEvent, next: ModelEvent): ModelEvent | undefined {
  if (last.type !== next.type) return undefined;
  if (last.type === 'tool-call-delta' && next.type === 'tool-call-delta') {
    return last.id === next.id ? { type: 'tool-call-delta', id: last.id, text: last.text + next.text } : undefined;
  }
  const isText = last.type === 'text-delta' || last.type === 'reasoning-delta';
  if (!isText || (next.type !== 'text-delta' && next.type !== 'reasoning-delta')) return undefined;
  return { type: last.type, text: last.text + next.text };
}

type Chunk = { readonly value: Uint8Array | undefined } | { readonly failure: ModelError };

function missingBody({ status }: Response): Chunk {
  return { failure: modelError('E_MODEL_PROTOCOL', `The model provider responded with ${status} and no body`, false) };
}

function tooLong(maxResponseBytes: number): KernelError {
  const message = `The response is longer than the limit of ${maxResponseBytes} bytes (maxResponseBytes)`;
  return new KernelError('E_MODEL_PROTOCOL', message);
}

async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { signal, deadlines }: ReadOptions,
): Promise<Chunk> {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<Chunk>();
  const onAbort = (): void => interrupt({ failure: modelError('E_CANCELLED', 'The request was cancelled', false) });
  const watch = deadlines.watch((failure) => interrupt({ failure }));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([reader.read().then(({ value }): Chunk => ({ value })), interrupted]);
  } catch (error) {
    if (signal.aborted) return { failure: modelError('E_CANCELLED', 'The request was cancelled', false) };
    const message = `The connection broke during the response: ${(error as Error).message}`;
    return { failure: modelError('E_MODEL_TRUNCATED', message, true) };
  } finally {
    watch.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
