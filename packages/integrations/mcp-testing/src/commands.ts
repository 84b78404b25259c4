import { fileURLToPath } from 'node:url';

/** Command of a server over standard streams. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * Returns the command of a script. `module` exports the scripts by name as `scripts`; without it the script is a hostile case, by its
 * title.
 */
export function scriptCommand(
  name: string,
  module: URL = new URL('hostile/hostile-cases.ts', import.meta.url),
): ServerCommand {
  return { command: process.execPath, args: [pathOf('stdio-main.ts'), module.href, name] };
}

/** Returns the command of the official server, which speaks both versions of the protocol. */
export function sdkCommand(): ServerCommand {
  return { command: process.execPath, args: [pathOf('sdk-server.ts')] };
}
