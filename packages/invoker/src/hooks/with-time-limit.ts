import type { Clock } from '@ravi/kernel';

/** The value of `body`, or a rejection once `limitMs` milliseconds are over; a synchronous body needs no timer. */
export async function withTimeLimit<Value>(
  options: { readonly what: string; readonly limitMs: number; readonly clock: Clock },
  body: () => Value | PromiseLike<Value>,
): Promise<Value> {
  const started = body();
  if (!isThenable(started)) return started;
  return new Promise((resolve, reject) => {
    const timer = options.clock.setTimer(
      () => reject(new Error(`${options.what} took longer than ${options.limitMs} ms`)),
      options.limitMs,
    );
    const settle =
      <Outcome>(done: (outcome: Outcome) => void) =>
      (outcome: Outcome) => {
        timer.cancel();
        done(outcome);
      };
    Promise.resolve(started).then(settle(resolve), settle(reject));
  });
}

/** Whether a value can be awaited: not only a `Promise` may be waited for without end. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
