import type { ListeningServer } from '@ravi/monolith';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

/** Prints a line for each call, run, script and approval. Returns a function that ends this. */
export function showActivity(
  hooks: Pick<ListeningServer['parts']['hooks'], 'observe'>,
  { print, paint }: Pick<Terminal, 'print' | 'paint'>,
): () => void {
  const tell = (isGood: boolean, what: string, result: string): void =>
    print(`${visible(what)}: ${paint(isGood ? 'good' : 'bad', visible(result))}`);
  const unsubscribe = [
    hooks.observe('run-start', ({ agent, runId }) => print(visible(`agent ${agent ?? ''} starts: ${runId}`))),
    hooks.observe('run-paused', ({ agent }) => print(visible(`agent ${agent ?? ''} waits`))),
    hooks.observe('run-end', ({ agent, status, error }) =>
      tell(error === undefined, `agent ${agent ?? ''}`, error === undefined ? status : `${status}, ${error.message}`),
    ),
    hooks.observe('tool-result', ({ tool, status, errorCode, durationMs }) =>
      tell(errorCode === undefined, tool, `${errorCode ?? status} in ${durationMs.toFixed(1)} ms`),
    ),
    hooks.observe('approval-requested', ({ tool }) => print(visible(`${tool} waits for a decision in the console`))),
  ];
  return () => {
    for (const end of unsubscribe) end();
  };
}
