import { exitCode } from './exit-code.ts';
import { printFault, printUncaught } from './faults.ts';
import { runCommandLine } from './program.ts';
import { createProcessTerminal } from './terminal.ts';

/** Runs the command line as the main program: prints every fault, sets the exit code and ends the process. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const isJson = args.includes('--json');
  const terminal = createProcessTerminal();
  // A server takes charge of its own, and has a log.
  if (args[0] !== 'serve') printUncaught(isJson, terminal);
  try {
    process.exitCode = await runCommandLine(args, terminal);
  } catch (error) {
    printFault(error, isJson, terminal);
    process.exitCode = exitCode.failed;
  }
  // A handle that a plugin left open must not keep the process alive; what was printed must still arrive.
  process.stdout.write('', () => process.exit());
}
