import type { Cancellation } from '@ravi/invoker/internal';
import type { Clock, ModelEvent, Timer } from '@ravi/kernel';
import type { Supervision } from './supervision.ts';

/** Priority and cancellation of a model call. */
export interface Writer {
  readonly priority: number;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
}

/** Time that a provider may keep its place for cleanup after its last event. */
const maxCleanUpMs = 1_000;

const over: IteratorResult<ModelEvent> = { done: true, value: undefined };

/**
 * Wraps the stream of a model: it takes a place of the supervision before the first event and releases it after the last
 * one, so that middleware around it may start agents of its own before and after. The place is also released when the
 * reader stops, when the stream fails, and immediately when the run is cancelled, even if the provider does not end.
 */
export function writeInPlace(
  supervision: Supervision,
  { priority, cancellation, clock }: Writer,
  write: () => AsyncIterable<ModelEvent>,
): AsyncIterableIterator<ModelEvent> {
  let place: (() => void) | undefined;
  let timer: Timer | undefined;
  let stream: AsyncIterator<ModelEvent> | undefined;
  let opening: Promise<void> | undefined;
  let closing: Promise<unknown> | undefined;

  function leave(): void {
    timer?.cancel();
    place?.();
    place = undefined;
  }

  async function open(): Promise<void> {
    const release = await supervision.enter(priority, cancellation);
    const unsubscribe = cancellation.onCancel(leave);
    place = () => {
      unsubscribe();
      release();
    };
    cancellation.check();
    if (closing === undefined) stream = write()[Symbol.asyncIterator]();
  }

  async function read(): Promise<IteratorResult<ModelEvent>> {
    await (opening ??= open());
    const result = (await stream?.next()) ?? over;
    if (result.done === true) leave();
    else if (isLast(result.value)) void close();
    return result;
  }

  function close(): Promise<unknown> {
    if (closing !== undefined) return closing;
    closing = cleanUp();
    if (place !== undefined) timer = clock.setTimer(leave, maxCleanUpMs);
    closing.then(leave, leave);
    return closing;
  }

  async function cleanUp(): Promise<void> {
    await stream?.return?.();
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (closing !== undefined) return over;
      try {
        return await read();
      } catch (error) {
        leave();
        if (closing !== undefined) return over;
        throw error;
      }
    },
    async return() {
      await close();
      return over;
    },
  };
}

function isLast({ type }: ModelEvent): boolean {
  return type === 'finish' || type === 'error';
}
