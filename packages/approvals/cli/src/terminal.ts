import { createInterface } from 'node:readline/promises';

/** Input stream of a terminal. */
export type TerminalInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Output stream of a terminal. */
export type TerminalOutput = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** A terminal that is reserved for one request. */
export interface Terminal extends Disposable {
  readonly columns: number;
  /** Prints text, followed by a line break. */
  print(text: string): void;
  /** Reads one line without its line break; `undefined` after Ctrl-C, the end of the input, or an abort. */
  readLine(prompt: string, prefilled?: string): Promise<string | undefined>;
}

/** Returns true if a person can be asked. */
export function isInteractive(input: TerminalInput, output: TerminalOutput): boolean {
  return input.isTTY === true && output.isTTY === true && input.readable;
}

/**
 * Reserves the terminal until it is disposed. Lines that were typed ahead are dropped then, so that an approver cannot
 * approve a request before seeing it.
 */
export function openTerminal(input: TerminalInput, output: TerminalOutput, signal: AbortSignal): Terminal {
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const closed = new AbortController();
  lines.once('close', () => closed.abort());
  lines.once('SIGINT', () => lines.close());
  const ended = AbortSignal.any([signal, closed.signal]);

  return {
    columns: output.columns || 80,
    print: (text) => void output.write(`${text}\n`),
    async readLine(prompt, prefilled = '') {
      try {
        const answer = lines.question(prompt, { signal: ended });
        if (prefilled !== '') lines.write(prefilled);
        return await answer;
      } catch (error) {
        if (!ended.aborted) throw error;
        output.write('\n');
        return undefined;
      }
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
