import { KernelError } from '@ravi/kernel';

/**
 * Returns a function that tells whether the server of an address matches a pattern: `example.com`, `*.example.com` for all names below
 * it, each with the usual port of its protocol, or with a port of its own, `example.com:8443`.
 * @throws KernelError `E_CONFIG_INVALID` for something that is not such a pattern
 */
export function hostMatcher(patterns: readonly string[]): (url: URL) => boolean {
  const hosts = new Set<string>();
  const parents: string[] = [];
  for (const pattern of patterns) {
    const isParent = pattern.startsWith('*.');
    const host = readHost(isParent ? pattern.slice(2) : pattern);
    if (host === undefined) {
      throw new KernelError(
        'E_CONFIG_INVALID',
        `"${pattern}" in allowHosts is not a host: write "example.com", "*.example.com" or "example.com:8443"`,
      );
    }
    if (isParent) parents.push(`.${host}`);
    else hosts.add(host);
  }
  return ({ host }) =>
    hosts.has(host) || parents.some((parent) => host.endsWith(parent) && host.length > parent.length);
}

function readHost(text: string): string | undefined {
  if (/[/@?#\\\s*]/.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  const { host } = new URL(`http://${text}`);
  // Spelled as the parser of addresses spells it, so that what is compared is what is called.
  return host === text.toLowerCase() ? host : undefined;
}
