import { KernelError } from '@ravi/kernel';

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
