const loopback = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Returns an address that a browser may open for a sign-in. @throws Error unless it is HTTPS, or a page of this machine */
export function safeAddress(address: string): string {
  const url = URL.parse(address);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
  if (url === null || !isSafe) throw new Error('The server named an address for the sign-in that is not HTTPS.');
  return url.href;
}
