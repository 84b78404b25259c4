import { KernelError } from '@ravi/kernel';

const loopbackName = /^(?:127(?:\.\d{1,3}){3}|localhost|\[?::1\]?)$/;

/** Whether a host name means this machine and nothing beyond it. */
export function isLoopback(hostname: string): boolean {
  return loopbackName.test(hostname);
}

/** Refuses to be reachable from elsewhere. @throws KernelError `E_CONFIG_INVALID` */
export function requireLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new KernelError(
    'E_CONFIG_INVALID',
    `server.host "${host}" would open this server to other machines, and it has no access control yet: use 127.0.0.1, ::1 or localhost`,
  );
}
