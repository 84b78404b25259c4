import type { RunAnswer } from './client/answers.ts';

/** What answers the question that a run was shown with, and no later one: the body of its resume. */
export function answerTo({ questions = [] }: RunAnswer, answer: string): object {
  const [first] = questions;
  return { answer: first === undefined || questions.length > 1 ? answer : { [first.callId]: answer } };
}
