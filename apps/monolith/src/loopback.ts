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
