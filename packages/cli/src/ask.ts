import { createInterface } from 'node:readline/promises';
import type { RunDetails } from '@ravi/api';

/** Asks at the terminal, on standard error, so that the result stays alone on standard output; `usual` for an empty line. */
export async function ask(question: string, usual: string = ''): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(`${question}${usual === '' ? '' : ` (${usual})`}: `)).trim() || usual;
  } finally {
    lines.close();
  }
}

/** Body of a request that resumes a run. */
export interface ResumeInput {
  readonly answer: string | Readonly<Record<string, string>>;
}

/** Returns the body that answers the question of a run. It names the call, so it does not answer a later question. */
export function answerTo({ questions }: Pick<RunDetails, 'questions'>, answer: string): ResumeInput {
  const [first] = questions;
  return { answer: first === undefined || questions.length > 1 ? answer : { [first.callId]: answer } };
}
