const loopbackName = /^(?:127(?:\.\d{1,3}){3}|localhost|\[?::1\]?)$/;

/** True if a host name is a loopback address of this machine. */
export function isLoopback(hostname: string): boolean {
  return loopbackName.test(hostname);
}
