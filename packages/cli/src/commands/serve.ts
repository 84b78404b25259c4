import { KernelError } from '@ravi/kernel';
import { parsePort, runServer } from '@ravi/monolith';
import type { CommandBody } from '../command.ts';

/** Serves HTTP and the console until Ctrl-C or SIGTERM. */
export const serveHere: CommandBody = async ({ values: { config, host, port } }) => {
  await runServer({ config, host, port: portOf(port) });
};

function portOf(text: string | undefined): number | undefined {
  try {
    return parsePort(text);
  } catch (cause) {
    throw new KernelError('E_USAGE', (cause as Error).message, { cause });
  }
}
