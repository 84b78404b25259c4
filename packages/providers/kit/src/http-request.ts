import { KernelError } from '@ravi/kernel';

/** A request as it goes out. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * An address below `baseUrl`; a query of it, such as Azure's version, stays behind the path.
 * @throws KernelError `E_CONFIG_INVALID` for a base that is no address of http or https, or one with a password
 */
export function endpoint(baseUrl: string, path: string): string {
  const url = httpAddress('baseUrl', baseUrl);
  url.pathname = url.pathname.replace(/\/+$/u, '') + path;
  return url.href;
}

/**
 * An address that requests can go to.
 * @param name of the option, for the message
 * @throws KernelError `E_CONFIG_INVALID` as {@link endpoint}; the message leaves out what may be a password or a key
 */
export function httpAddress(name: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    const given = JSON.stringify(address.replace(/^.*@|\?.*$/gsu, ''));
    throw new KernelError('E_CONFIG_INVALID', `${name} ${given} is no address; write https://<host>/<path>`);
  }
  if (url.username !== '' || url.password !== '') {
    const message = `${name} at ${url.host} has a user or a password in it; send them as a header`;
    throw new KernelError('E_CONFIG_INVALID', message);
  }
  return url;
}

/**
 * The headers of a request; what comes later wins, however its name is written.
 * @throws KernelError `E_CONFIG_INVALID` for what cannot be sent; the message does not tell the value
 */
export function requestHeaders(...groups: readonly Readonly<Record<string, string>>[]): Headers {
  const headers = new Headers();
  for (const [name, value] of groups.flatMap((group) => Object.entries(group))) {
    try {
      headers.set(name, value);
    } catch {
      // Its error tells the value, so it is no cause either.
      const place = JSON.stringify(name);
      const message = `The header ${place} cannot be sent; look for a line break or a special character in it or in its key`;
      throw new KernelError('E_CONFIG_INVALID', message);
    }
  }
  return headers;
}
