import type { Cancellation } from '@ravi/invoker/internal';
import type { ContentBlock, JsonObject, ModelError, ModelEvent, ModelStopReason, ModelUsage } from '@ravi/kernel';
import { errorText, ReceivedUsage } from '@ravi/support';
import { MissingDeltas } from './missing-deltas.ts';

/** Response of a model, complete or as far as it was received. */
export interface ModelResponse {
  /** Complete blocks, in order. */
  readonly blocks: readonly ContentBlock[];
  /** Streamed text, including that of incomplete blocks. */
  readonly text: string;
  /** Counts of the provider; zero if it did not count. */
  readonly usage: ModelUsage;
  /** Usage for budgets, with the tokens that were sent for a provider that did not count. */
  usedBy(sentTokens: number): ModelUsage;
  /** Stop reason of a complete response. */
  readonly reason?: ModelStopReason;
  /** Model that responded, as the provider names it. */
  readonly model?: string;
  /** Facts of the provider that no other field has. */
  readonly details?: JsonObject;
  /** Error of an incomplete response. */
  readonly error?: ModelError;
}

/**
 * Reads one response to its end; does not ask for one if the run is already cancelled. Never rejects: cancellation, a
 * provider that throws and a stream that ends early become errors of the response. `onEvent` receives each event first, and
 * may replace its block. Text that arrives only in a block is also passed to it as a delta.
 */
export function readResponse(
  events: () => AsyncIterable<ModelEvent>,
  cancellation: Cancellation,
  onEvent: (event: ModelEvent) => ContentBlock | undefined,
): Promise<ModelResponse> {
  return new Promise((resolve) => {
    const blocks: ContentBlock[] = [];
    const deltas = new MissingDeltas();
    let text = '';
    const received = new ReceivedUsage();
    let iterator: AsyncIterator<ModelEvent> | undefined;
    let isOver = false;

    const end = (outcome: Pick<ModelResponse, 'reason' | 'model' | 'details' | 'error'>): void => {
      if (isOver) return;
      isOver = true;
      unsubscribe();
      if (iterator !== undefined) close(iterator);
      // A copy, because an array that has grown has spare capacity and the conversation keeps this one.
      const { counted: usage } = received;
      resolve({ blocks: blocks.slice(), text, usage, usedBy: (sent) => received.atLeast(sent), ...outcome });
    };
    const fail = (error: unknown): void =>
      end({ error: modelError('E_MODEL_PROTOCOL', `The model provider failed: ${errorText(error)}`) });
    const stop = (): void => end({ error: modelError('E_CANCELLED', cancellation.error.message) });
    const unsubscribe = cancellation.onCancel(stop);
    if (cancellation.isCancelled) return stop();

    const handle = (event: ModelEvent): void => {
      received.add(event);
      const missing = deltas.before(event);
      if (missing !== undefined) {
        if (missing.type === 'text-delta') text += missing.text;
        onEvent(missing);
      }
      const block = onEvent(event);
      if (block !== undefined) blocks.push(block);
      if (event.type === 'text-delta') text += event.text;
      else if (event.type === 'error') end({ error: event.error });
      else if (event.type === 'finish') {
        const { reason, model, details } = event;
        end({ reason, ...(model === undefined ? {} : { model }), ...(details === undefined ? {} : { details }) });
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
        if (next.done === true)
          return end({ error: modelError('E_MODEL_TRUNCATED', 'The response ended without a finish event', true) });
        handle(next.value);
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

// Not awaited, so that a provider that hangs or fails at its end does not affect the run.
function close(iterator: AsyncIterator<ModelEvent>): void {
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {}
}

/** Returns an error that the loop reports itself. */
export function modelError(code: ModelError['code'], message: string, retryable = false): ModelError {
  return { code, message, retryable };
}
