/** Where a command reads and writes; the process's own outside of tests. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One line of the command's result, on standard output. */
  print(line: string): void;
  /** One line about the command, on standard error. */
  warn(line: string): void;
}

/** The terminal of this process. */
export const processTerminal: Terminal = {
  cwd: process.cwd(),
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
};
