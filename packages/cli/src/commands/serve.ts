import { KernelError } from '@ravi/kernel';
import { parsePort, runServer } from '@ravi/monolith';
import type { CommandBody } from '../command.ts';
import { exitCode } from '../exit-code.ts';

/** Serves HTTP and the console until Ctrl-C, SIGTERM or an uncaught exception. */
export const serveHere: CommandBody = async ({ values: { config, host, port }, flags }) => {
  const code = await runServer({ config, host, port: portOf(port), adoptState: flags.has('adoptState') });
  return code === 0 ? exitCode.ok : exitCode.failed;
};

/** Reads `--port`. @throws KernelError `E_USAGE` */
export function portOf(text: string | undefined): number | undefined {
  try {
    return parsePort(text);
  } catch (cause) {
    throw new KernelError('E_USAGE', (cause as Error).message, { cause });
  }
}
