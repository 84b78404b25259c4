import { answerQuestions } from '../helper/answer-questions.ts';
import type { HelperMessage } from '../helper/helper-process.ts';
import { compileScript } from './compile-script.ts';
import type { Compilation } from './compile-script.ts';
import { CompilerBrokenError, eraseTypes } from './erase-types.ts';

answerQuestions((source: string): HelperMessage<Compilation> => {
  try {
    return { type: 'answer', answer: compileScript(source, eraseTypes) };
  } catch (error) {
    if (error instanceof CompilerBrokenError) return { type: 'broken' };
    throw error;
  }
});
