import type { Cancellation } from '@ravi/invoker/internal';
import type { Clock, ModelEvent, Timer } from '@ravi/kernel';
import type { Supervision } from './supervision.ts';
/** Who writes. */
export interface Writer {
  readonly priority: number;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
}

/** A provider that has still not tidied up behind its last event keeps its place no longer. */
const maxTidyMs = 1_000;

const over: IteratorResult<ModelEvent> = { done: true, value: undefined };

/**
 * A model's stream that takes a place of the supervision before its first event and gives it back after its last one, so
 * that whoever stands around it may start agents of its own before and then. The place is given back too when nobody
 * reads on, when the stream fails, and when the run is cancelled, at once and whether or not the provider ends.
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
    const giveBack = await supervision.enter(priority, cancellation);
    const unsubscribe = cancellation.onCancel(leave);
    place = () => {
      unsubscribe();
      giveBack();
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
    closing = tidy();
    if (place !== undefined) timer = clock.setTimer(leave, maxTidyMs);
    closing.then(leave, leave);
    return closing;
  }

  async function tidy(): Promise<void> {
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
