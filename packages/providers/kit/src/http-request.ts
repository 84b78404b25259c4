import { KernelError } from '@ravi/kernel';

/** Request as it is sent. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * Returns a URL below `baseUrl`. A query of `baseUrl`, such as Azure's version, stays after the path.
 * @throws KernelError `E_CONFIG_INVALID` if `baseUrl` is not an http or https URL or contains a password
 */
export function endpoint(baseUrl: string, path: string): string {
  const url = httpAddress('baseUrl', baseUrl);
  url.pathname = url.pathname.replace(/\/+$/u, '') + path;
  return url.href;
}

/**
 * Parses a URL for requests.
 * @param name name of the option, for the message
 * @throws KernelError `E_CONFIG_INVALID` as {@link endpoint}; the message omits possible passwords and keys
 */
export function httpAddress(name: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    const given = JSON.stringify(address.replace(/^.*@|\?.*$/gsu, ''));
    throw new KernelError('E_CONFIG_INVALID', `${name} ${given} is not a valid URL; use https://<host>/<path>`);
  }
  if (url.username !== '' || url.password !== '') {
    const message = `${name} at ${url.host} contains a user name or password; send credentials in a header`;
    throw new KernelError('E_CONFIG_INVALID', message);
  }
  return url;
}

/**
 * Returns the headers of a request. Later headers override earlier ones, regardless of case.
 * @throws KernelError `E_CONFIG_INVALID` for an invalid header; the message does not contain its value
 */
export function requestHeaders(...groups: readonly Readonly<Record<string, string>>[]): Headers {
  const headers = new Headers();
  for (const [name, value] of groups.flatMap((group) => Object.entries(group))) {
    try {
      headers.set(name, value);
    } catch {
      // The caught error contains the value, so it is not set as the cause.
      const place = JSON.stringify(name);
      const message = `The header ${place} is invalid; check its name and value for line breaks and special characters`;
      throw new KernelError('E_CONFIG_INVALID', message);
    }
  }
  return headers;
}
