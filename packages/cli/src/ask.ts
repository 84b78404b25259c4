import { createInterface } from 'node:readline/promises';
import type { RunDetails } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import type { Question } from '@ravi/kernel';
import { visible } from './render/visible.ts';

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

/**
 * Returns the body that answers the questions of a run: a text for the only one, else a JSON object of answers by call id. It names
 * the calls, so it does not answer a later question.
 */
export function answerTo({ questions }: Pick<RunDetails, 'questions'>, answer: string): ResumeInput {
  const [first] = questions;
  if (first === undefined) return { answer };
  return { answer: questions.length > 1 ? (answersIn(answer) ?? answer) : { [first.callId]: answer } };
}

function answersIn(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord && Object.values(value).every((answer) => typeof answer === 'string')
      ? (value as Readonly<Record<string, string>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the lines that show a question at a terminal, with the sub-agent that asks. */
export function questionLines({ question, choices = [], agent }: Question): string {
  const by = agent === undefined ? [] : [`The agent ${agent} asks:`];
  return visible([...by, question, ...choices.map((choice) => `  ${choice}`)].join('\n'));
}
