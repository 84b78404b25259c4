import { parentPort } from 'node:worker_threads';
import type { WorkerMessage } from '../thread/worker-thread.ts';
import { checkScript } from './check-script.ts';
import type { CheckAnswer, CheckQuestion } from './finding.ts';
import { createTypeChecker } from './type-checker.ts';

const checker = createTypeChecker();
// The first script pays for what all others share.
checker.check('return [await tools.first()].map((value) => value)', []);

parentPort?.on('message', (question: CheckQuestion) => {
  parentPort?.postMessage({ type: 'answer', answer: answer(question) } satisfies WorkerMessage<CheckAnswer>);
});
parentPort?.postMessage({ type: 'ready' } satisfies WorkerMessage<CheckAnswer>);

function answer(question: CheckQuestion): CheckAnswer {
  try {
    return { status: 'checked', findings: checkScript(question, checker) };
  } catch {
    // A script that is nested too deeply, or a fault of the compiler: either is no reason not to run it.
    return { status: 'failed' };
  }
}
