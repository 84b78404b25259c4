import type { RunDetails } from '@ravi/api';

/** Body of a request that resumes a run. */
export interface ResumeInput {
  readonly answer: string | Readonly<Record<string, string>>;
}

/** Returns the body that answers the question of a run. It names the call, so it does not answer a later question. */
export function answerTo({ questions }: Pick<RunDetails, 'questions'>, answer: string): ResumeInput {
  const [first] = questions;
  return { answer: first === undefined || questions.length > 1 ? answer : { [first.callId]: answer } };
}
