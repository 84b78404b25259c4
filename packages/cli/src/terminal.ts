import * as util from 'node:util';
import { untilShutdown } from '@ravi/monolith/shutdown';

/** Styles by meaning. */
export type Style = 'good' | 'bad' | 'warning' | 'faint' | 'strong';

/** Input and output of a command; those of the process outside tests. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if a user can be asked. */
  readonly isInteractive: boolean;
  /** Prints one line of the result on standard output. */
  print(line: string): void;
  /** Prints a piece of the result, without a line break. */
  write(text: string): void;
  /** Prints one line about the command on standard error. */
  warn(line: string): void;
  /** Shows the current activity on standard error until the next line replaces it; only at a terminal. */
  progress(text: string): void;
  /** Resolves at Ctrl-C or SIGTERM; a second one ends the process at once. */
  interrupted(): Promise<unknown>;
  /** Returns the text in a style for standard output; plain without a terminal. Respects `NO_COLOR` and `FORCE_COLOR`. */
  paint(style: Style, text: string): string;
}

const formats = { good: 'green', bad: 'red', warning: 'yellow', faint: 'gray', strong: 'bold' } as const;
const clearLine = '\r\u001B[K';

/** Creates the terminal of this process. */
export function createProcessTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  let shown = '';

  function clear(): void {
    if (shown !== '') stderr.write(clearLine);
    shown = '';
  }

  return {
    cwd: process.cwd(),
    env: process.env,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    print(line) {
      clear();
      stdout.write(`${line}\n`);
    },
    write(text) {
      clear();
      stdout.write(text);
    },
    warn(line) {
      clear();
      stderr.write(`${line}\n`);
    },
    progress(text) {
      if (stderr.isTTY !== true) return;
      clear();
      shown = text.slice(0, (stderr.columns || 80) - 1);
      stderr.write(shown);
    },
    interrupted: untilShutdown,
    paint: (style, text) => util.styleText(formats[style], text, { stream: stdout }),
  };
}
