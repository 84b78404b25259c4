import { KernelError } from '@ravi/kernel';

/**
 * An address below `baseUrl`; a query of it, such as Azure's version, stays behind the path.
 * @throws KernelError `E_CONFIG_INVALID` for a base that is no address
 */
export function endpoint(baseUrl: string, path: string): string {
  if (!URL.canParse(baseUrl)) {
    const given = JSON.stringify(baseUrl);
    throw new KernelError('E_CONFIG_INVALID', `baseUrl ${given} is no address; write https://<host>/<path>`);
  }
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/+$/u, '') + path;
  return url.href;
}
