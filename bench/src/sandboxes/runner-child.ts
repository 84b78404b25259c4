import { runners } from './runners.ts';
import type { RunnerName } from './runners.ts';
import { subjectOf } from './subjects.ts';

/** Reply of this process to the name of a subject. */
export type RunnerAnswer = { readonly figure: number } | { readonly failure: string };

// Process with one runner: the argument is the name of the runner, and each message names a subject.
const runner = await runners[process.argv[2] as RunnerName]();

process.on('message', (subject: string) => {
  void measure(subject).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => {
  void runner[Symbol.asyncDispose]().then(() => process.exit());
});
process.send?.('ready');

async function measure(subject: string): Promise<RunnerAnswer> {
  try {
    const figure = await subjectOf(subject)?.measure(runner);
    return figure === undefined ? { failure: `There is no subject ${subject}` } : { figure };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
