import type { Cancellation } from '@ravi/invoker/internal';
import type { ContentBlock, ModelError, ModelEvent, ModelStopReason, ModelUsage } from '@ravi/kernel';
import { errorText } from '@ravi/support';
/** An answer of a model, as far as it came. */
export interface ModelResponse {
  /** Whole blocks, in order. */
  readonly blocks: readonly ContentBlock[];
  /** Text that was streamed, that of unfinished blocks included. */
  readonly text: string;
  readonly usage: ModelUsage;
  /** Why it ended well; absent when it failed. */
  readonly reason?: ModelStopReason;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  /** Why it failed. */
  readonly error?: ModelError;
}

/** No tokens. */
export const noUsage: ModelUsage = Object.freeze({ inputTokens: 0, outputTokens: 0 });

/**
 * Reads one answer to its end; asks for none when it is cancelled already. It always resolves: cancellation, a provider
 * that throws and a stream that ends too early are errors of the answer. `onEvent` sees each event first; blocks are
 * handed over as it returns them.
 */
export function readResponse(
  events: () => AsyncIterable<ModelEvent>,
  cancellation: Cancellation,
  onEvent: (event: ModelEvent) => ContentBlock | undefined,
): Promise<ModelResponse> {
  return new Promise((resolve) => {
    const blocks: ContentBlock[] = [];
    let text = '';
    let usage = noUsage;
    let iterator: AsyncIterator<ModelEvent> | undefined;
    let isOver = false;

    const end = (outcome: Pick<ModelResponse, 'reason' | 'model' | 'error'>): void => {
      if (isOver) return;
      isOver = true;
      unsubscribe();
      if (iterator !== undefined) close(iterator);
      // A list that has grown keeps room for more, and the conversation keeps this one.
      resolve({ blocks: blocks.slice(), text, usage, ...outcome });
    };
    const fail = (error: unknown): void =>
      end({ error: modelError('E_MODEL_PROTOCOL', `The model provider failed: ${errorText(error)}`) });
    const stop = (): void => end({ error: modelError('E_CANCELLED', cancellation.error.message) });
    const unsubscribe = cancellation.onCancel(stop);
    if (cancellation.isCancelled) return stop();

    const take = (event: ModelEvent): void => {
      const block = onEvent(event);
      if (block !== undefined) blocks.push(block);
      if (event.type === 'text-delta') text += event.text;
      else if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'error') end({ error: event.error });
      else if (event.type === 'finish') {
        usage = event.usage;
        end({ reason: event.reason, ...(event.model === undefined ? {} : { model: event.model }) });
      }
    };
    const pull = (): void => {
      try {
        Promise.resolve((iterator as AsyncIterator<ModelEvent>).next()).then(step, fail);
      } catch (error) {
        fail(error);
      }
    };
    const step = (next: IteratorResult<ModelEvent>): void => {
      if (isOver) return;
      try {
        if (next.done === true) return end({ error: modelError('E_MODEL_TRUNCATED', 'The answer has no end', true) });
        take(next.value);
      } catch (error) {
        return fail(error);
      }
      if (!isOver) pull();
    };

    try {
      iterator = events()[Symbol.asyncIterator]();
    } catch (error) {
      return fail(error);
    }
    if (isOver) close(iterator);
    else pull();
  });
}

// Not awaited: a provider that hangs must not hang the run. Nor must one that fails at the end.
function close(iterator: AsyncIterator<ModelEvent>): void {
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {}
}

/** A failure of our own making. */
export function modelError(code: ModelError['code'], message: string, retryable = false): ModelError {
  return { code, message, retryable };
}
