import { runCreate } from '@ravi/cli/create';

/** Runs `npm create ravi` with these arguments in the current folder. Returns its exit code. */
export function createRavi(args: readonly string[]): Promise<number> {
  return runCreate(args, {
    cwd: process.cwd(),
    print: (line) => console.log(line),
    warn: (line) => console.error(line),
  });
}
