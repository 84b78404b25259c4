import { Script } from 'node:vm';
import type { HelperMessage } from './helper-process.ts';

const turn = Symbol.for('ravi.helper.turn');
/** Longer than any host waits. */
const longestMs = 120_000;

/**
 * The helper's side: says that it is ready and answers what it is asked. A question that takes longer than `limitMs`
 * ends the process: a host that was killed could not do so.
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => HelperMessage<Answer>,
  limitMs: number = longestMs,
): void {
  // A time limit holds for what a script runs, so the function goes in through a property.
  const step = new Script('globalThis[Symbol.for("ravi.helper.turn")]()');
  process.on('message', (question: Question) => {
    Object.assign(globalThis, { [turn]: () => process.send?.(answer(question)) });
    step.runInThisContext({ timeout: limitMs });
  });
  // A signal to the whole process group is for the host, which ends its helpers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  process.send?.({ type: 'ready' } satisfies HelperMessage<Answer>);
}
