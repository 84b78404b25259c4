import { createInterface } from 'node:readline/promises';

/** Asks at the terminal, on standard error, so that the result stays alone on standard output; `usual` for an empty line. */
export async function ask(question: string, usual: string = ''): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(`${question}${usual === '' ? '' : ` (${usual})`}: `)).trim() || usual;
  } finally {
    lines.close();
  }
}
