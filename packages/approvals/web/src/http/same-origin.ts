import { problem } from './responses.ts';

const loopbackName = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/**
 * Refuses requests that are not addressed to one of the names of this server. A page that makes its own domain resolve to this
 * machine (DNS rebinding) still sends that domain as `Host`.
 * @throws KernelError `E_ORIGIN_FORBIDDEN`
 */
export function checkHost({ headers, url }: Request, allowedHosts: readonly string[]): void {
  const given = headers.get('host') ?? URL.parse(url)?.host ?? '';
  const { host, hostname } = URL.parse(`http://${given}`) ?? { host: '', hostname: '' };
  if (loopbackName.test(hostname) || allowedHosts.includes(host) || allowedHosts.includes(hostname)) return;
  throw problem('E_ORIGIN_FORBIDDEN', `The host "${given}" is not a name of this server; add it to allowedHosts`);
}

/**
 * Refuses requests from pages of other sites. Browsers send the origin of a request; other programs do not, and have no
 * cookie that a page could abuse.
 * @throws KernelError `E_ORIGIN_FORBIDDEN`
 */
export function checkOrigin({ headers, url, method }: Request): void {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const host = headers.get('host') ?? URL.parse(url)?.host ?? '';
  if (origin !== null && URL.parse(origin)?.host !== host) {
    throw problem('E_ORIGIN_FORBIDDEN', `The origin "${origin}" may not use this server`);
  }
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    throw problem('E_ORIGIN_FORBIDDEN', 'Requests from pages of other sites are refused');
  }
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && headers.has('cookie') && !headers.has('authorization') && origin === null && site !== 'same-origin') {
    throw problem('E_ORIGIN_FORBIDDEN', 'A request with a cookie must have an Origin header');
  }
}
