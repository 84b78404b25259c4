import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { TerminalInput, TerminalOutput } from '../src/index.ts';

/** A terminal made of streams. */
export interface PseudoTerminal {
  readonly input: TerminalInput & PassThrough;
  readonly output: TerminalOutput;
  /** Everything shown so far, as the handler wrote it. */
  raw(): string;
  /** Everything shown so far without cursor movement. */
  shown(): string;
  /** Resolves when a text has been shown `times` times in total. */
  waitFor(text: string, times?: number): Promise<void>;
}

export function createPseudoTerminal({
  columns = 80,
  isTTY = true,
}: { columns?: number; isTTY?: boolean } = {}): PseudoTerminal {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY, columns });
  let raw = '';
  output.on('data', (chunk: Buffer) => (raw += chunk.toString()));
  const shown = (): string => stripVTControlCharacters(raw);

  return {
    input,
    output,
    raw: () => raw,
    shown,
    waitFor(text, times = 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (shown().split(text).length <= times) return;
        output.off('data', look);
        resolve();
      };
      output.on('data', look);
      look();
      return promise;
    },
  };
}
