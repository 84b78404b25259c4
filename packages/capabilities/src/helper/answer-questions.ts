import { Script } from 'node:vm';
import type { HelperMessage } from './helper-process.ts';

const turn = Symbol.for('ravi.helper.turn');
/** Longer than any host waits. */
const longestMs = 120_000;

/**
 * Runs in the helper process: reports that it is ready and answers questions. A question that takes longer than `limitMs`
 * ends the process, because a host that was killed cannot end it.
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => HelperMessage<Answer>,
  limitMs: number = longestMs,
): void {
  // Only code that `Script` runs has a time limit, so the function is passed through a global property.
  const step = new Script('globalThis[Symbol.for("ravi.helper.turn")]()');
  process.on('message', (question: Question) => {
    Object.assign(globalThis, { [turn]: () => process.send?.(answer(question)) });
    step.runInThisContext({ timeout: limitMs });
  });
  // Signals to the process group are handled by the host, which ends its helpers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  process.send?.({ type: 'ready' } satisfies HelperMessage<Answer>);
}
