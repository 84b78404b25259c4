import { KernelError } from '@ravi/kernel';
import { isLoopback } from '@ravi/support';

/** Throws if a host is not a loopback address. @throws KernelError `E_CONFIG_INVALID` */
export function requireLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new KernelError(
    'E_CONFIG_INVALID',
    `server.host "${host}" accepts connections from other machines and needs server.tokens; without tokens use 127.0.0.1, ::1 or localhost`,
  );
}

/** Parses the value of `--port`; 0 means any free port. Returns `undefined` if absent. @throws TypeError */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new TypeError(`--port must be a whole number from 0 to 65535, got "${text}"`);
}
