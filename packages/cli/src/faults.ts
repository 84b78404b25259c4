import { exitCode } from './exit-code.ts';
import { visible } from './render/visible.ts';
import { tellError } from './tell-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * Says in one line, and not with the stack of Node, what nobody in this process catches: a rejected promise that nobody
 * awaited is a warning and the command goes on, as a server does; an exception ends it. For the main program alone.
 */
export function tellFaults(isJson: boolean, terminal: Terminal): void {
  process.on('unhandledRejection', (error) => {
    terminal.warn(visible(`warning: a promise was rejected that nobody awaited: ${faultText(error)}`));
  });
  process.on('uncaughtException', (error) => {
    tellFault(error, isJson, terminal);
    process.stdout.write('', () => process.exit(exitCode.failed));
  });
}

/** Says in one line what is a fault of Ravi, a plugin or a tool, and where it came from. */
export function tellFault(error: unknown, isJson: boolean, terminal: Terminal): void {
  tellError({ code: 'E_INTERNAL', message: faultText(error) }, isJson, terminal);
}

function faultText(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const place = error instanceof Error ? placeIn(error.stack) : undefined;
  return place === undefined ? line : `${line} (${place})`;
}

/** The first place of a stack that is not inside of Node: `/srv/tools/report.ts:4:9`. */
function placeIn(stack: string = ''): string | undefined {
  return /^ +at (?:.*\()?(?:file:\/\/)?((?!node:)[^()\s]+:\d+:\d+)\)?$/m.exec(stack)?.[1];
}
