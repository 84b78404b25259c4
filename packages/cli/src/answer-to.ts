import type { RunDetails } from '@ravi/api';

/** Body of a request that resumes a run. */
export interface ResumeInput {
  readonly answer: string | Readonly<Record<string, string>>;
}

/** What answers the question that a run was shown with, and no later one: the body of its resume. */
export function answerTo({ questions }: Pick<RunDetails, 'questions'>, answer: string): ResumeInput {
  const [first] = questions;
  return { answer: first === undefined || questions.length > 1 ? answer : { [first.callId]: answer } };
}
