import { exitCode } from './exit-code.ts';
import { visible } from './render/visible.ts';
import { printError } from './command-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * Prints uncaught errors in one line instead of a stack. An unhandled rejection is a warning and the command continues,
 * as a server does; an uncaught exception ends the command. Only for the main program.
 */
export function printUncaught(isJson: boolean, terminal: Terminal): void {
  process.on('unhandledRejection', (error) => {
    terminal.warn(visible(`warning: unhandled promise rejection: ${faultText(error)}`));
  });
  process.on('uncaughtException', (error) => {
    printFault(error, isJson, terminal);
    process.stdout.write('', () => process.exit(exitCode.failed));
  });
}

/** Prints a fault of Ravi, a plugin or a tool in one line, with its place. */
export function printFault(error: unknown, isJson: boolean, terminal: Terminal): void {
  printError({ code: 'E_INTERNAL', message: faultText(error) }, isJson, terminal);
}

function faultText(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const place = error instanceof Error ? placeIn(error.stack) : undefined;
  return place === undefined ? line : `${line} (${place})`;
}

/** Returns the first place of a stack outside Node: `/srv/tools/report.ts:4:9`. */
function placeIn(stack: string = ''): string | undefined {
  return /^ +at (?:.*\()?(?:file:\/\/)?((?!node:)[^()\s]+:\d+:\d+)\)?$/m.exec(stack)?.[1];
}
