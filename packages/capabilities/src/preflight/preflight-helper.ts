import { startupSnapshot } from 'node:v8';
import { answerQuestions } from '../helper/answer-questions.ts';
import { checkScript } from './check-script.ts';
import type { CheckAnswer, CheckQuestion } from './finding.ts';
import { createTypeChecker } from './type-checker.ts';

const checker = createTypeChecker();
// Loads what all scripts share before the first one arrives.
checker.check('return [await tools.first()].map((value) => value)', []);

const start = (): void => answerQuestions((question: CheckQuestion) => ({ type: 'answer', answer: answer(question) }));
// A snapshot has everything above in it, and starts here.
if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(start);
else start();

function answer(question: CheckQuestion): CheckAnswer {
  try {
    return { status: 'checked', findings: checkScript(question, checker) };
  } catch {
    // The script is nested too deeply, or the compiler has a bug: in both cases the script may run unchecked.
    return { status: 'failed' };
  }
}
