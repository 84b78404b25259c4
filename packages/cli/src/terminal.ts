import { styleText } from 'node:util';
import { untilShutdown } from '@ravi/monolith/shutdown';

/** The styles that commands use, by what they mean. */
export type Style = 'good' | 'bad' | 'warning' | 'faint' | 'strong';

/** Where a command reads and writes; the process's own outside of tests. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether somebody sits there who can be asked. */
  readonly isInteractive: boolean;
  /** One line of the command's result, on standard output. */
  print(line: string): void;
  /** A piece of the command's result, without a line break. */
  write(text: string): void;
  /** One line about the command, on standard error. */
  warn(line: string): void;
  /** What goes on at present, on standard error, until the next line takes its place; nothing where nobody looks. */
  progress(text: string): void;
  /** Resolves when somebody wants the command to end: at Ctrl-C and SIGTERM. From then on a second one ends it at once. */
  interrupted(): Promise<unknown>;
  /** The text in a style, for standard output; plain where that is no terminal, and as `NO_COLOR` and `FORCE_COLOR` say. */
  paint(style: Style, text: string): string;
}

const formats = { good: 'green', bad: 'red', warning: 'yellow', faint: 'gray', strong: 'bold' } as const;
const clearLine = '\r\u001B[K';

/** The terminal of this process. */
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
    paint: (style, text) => styleText(formats[style], text, { stream: stdout }),
  };
}
