import type { JsonObject } from '@ravi/kernel';
import { isObject, member, shown, textMember, Unusable } from './json-pointer.ts';

/** Options of {@link serverAddress}. */
export interface ServerAddressOptions {
  /** Address that the operator wrote; it wins. */
  readonly configured?: string | undefined;
  /** Address from which the document was read; absent for a file. */
  readonly documentUrl?: URL | undefined;
}

/**
 * Returns the one address to which every call goes: that of the configuration, otherwise the first server of the document. A document
 * that was read from an address can name only its own origin, because credentials are sent there.
 * @throws Unusable naming what to configure
 */
export function serverAddress(document: JsonObject, { configured, documentUrl }: ServerAddressOptions): URL {
  const named = configured ?? firstServer(document) ?? (documentUrl === undefined ? undefined : '/');
  if (named === undefined) throw new Unusable('the document names no server; set "server"');
  const base = configured === undefined ? documentUrl?.href : undefined;
  if (!URL.canParse(named, base)) throw new Unusable(`the server ${shown(named)} is not an address; set "server"`);
  const url = new URL(named, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Unusable(`the server ${shown(named)} is neither https nor http`);
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Unusable('the address of the server has a query, a fragment or credentials');
  }
  if (configured === undefined && documentUrl !== undefined && url.origin !== documentUrl.origin) {
    throw new Unusable(
      `the document of ${documentUrl.host} names another server, ${url.origin}; set "server" to use it`,
    );
  }
  return url;
}

/** Returns true if a part of the document sends its calls to servers of its own. */
export function namesServers(part: JsonObject): boolean {
  const servers = part['servers'];
  return Array.isArray(servers) && servers.length > 0;
}

function firstServer(document: JsonObject): string | undefined {
  const { servers } = document;
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isObject(server)) return undefined;
  return textMember(server, 'url')?.replaceAll(/\{([^{}]*)\}/g, (_whole, name: string) => {
    const value = textMember(member(server['variables'], name), 'default');
    if (value === undefined)
      throw new Unusable(`the variable ${shown(name)} of the server has no default; set "server"`);
    return value;
  });
}
