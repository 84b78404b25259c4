import { createInterface } from 'node:readline/promises';

/** Where a terminal's keys come from. */
export type TerminalInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Where a terminal shows text. */
export type TerminalOutput = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** A terminal that is taken for one question. */
export interface Terminal extends Disposable {
  readonly columns: number;
  /** Shows text, followed by a line break. */
  print(text: string): void;
  /** One line without its line break; `undefined` after Ctrl-C, the end of the input, or an abort. */
  readLine(prompt: string, prefilled?: string): Promise<string | undefined>;
}

/** Whether a person can be asked. */
export function isInteractive(input: TerminalInput, output: TerminalOutput): boolean {
  return input.isTTY === true && output.isTTY === true && input.readable;
}

/**
 * Takes the terminal until it is disposed. Lines that were typed ahead are dropped with it, so that nobody approves a
 * question they have not seen.
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
