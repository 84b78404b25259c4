import { createInterface } from 'node:readline/promises';
import type { RunDetails } from '@ravi/api';
import { KernelError } from '@ravi/kernel';

/**
 * Asks at the terminal, on standard error, so that the result stays alone on standard output; `usual` for an empty line.
 * @throws KernelError `E_CANCELLED` at Ctrl-C and at the end of the input
 */
export async function ask(question: string, usual: string = ''): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const { promise: closed, reject } = Promise.withResolvers<never>();
  lines.once('close', () => reject(new KernelError('E_CANCELLED', 'The question was not answered')));
  try {
    const answer = await Promise.race([lines.question(`${question}${usual === '' ? '' : ` (${usual})`}: `), closed]);
    return answer.trim() || usual;
  } finally {
    closed.catch(() => {});
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
