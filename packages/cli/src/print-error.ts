import { visible } from './render/visible.ts';
import type { Terminal } from './terminal.ts';

/** Prints why a command failed: one line on standard error, or `{ "error": { code, message } }` on standard output as JSON. */
export function printError(
  { code, message }: { readonly code: string; readonly message: string },
  isJson: boolean,
  { print, warn }: Pick<Terminal, 'print' | 'warn'>,
): void {
  if (isJson) print(JSON.stringify({ error: { code, message } }));
  else warn(visible(`${code}: ${message}`));
}
