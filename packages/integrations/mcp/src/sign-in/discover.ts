import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client';
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';

/** Authorization server of an MCP server, and what to ask it for. */
export interface Discovered {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** Indicator of the MCP server, for which a token is to be issued. */
  readonly resource: string;
  /** Scopes that the server asks for. */
  readonly scope?: string;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const;

/**
 * Finds the authorization server of an MCP server, as RFC 9728 and RFC 8414 (or OpenID Connect) describe. Metadata of another resource
 * or issuer, without PKCE or with an endpoint that is neither https nor on this machine is refused.
 */
export async function discover(serverUrl: string, fetchFn: typeof fetch): Promise<Discovered> {
  const challenge = await challengeOf(serverUrl, fetchFn);
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = await discoverOAuthServerInfo(
    serverUrl,
    { fetchFn, ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }) },
  );
  const own = resourceUrlFromServerUrl(serverUrl);
  const resource = resourceMetadata?.resource ?? own.href;
  if (!checkResourceAllowed({ requestedResource: own, configuredResource: resource })) {
    throw refused(`its metadata is for another resource`);
  }
  if (authorizationServerMetadata === undefined) throw refused('it names no authorization server');
  const metadata = checkMetadata(authorizationServerMetadata);
  const issuer = metadata.issuer ?? authorizationServerUrl;
  const scope = challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ');
  return { issuer, metadata, resource, ...(scope === undefined || scope === '' ? {} : { scope }) };
}

/** Reads the current metadata of a known issuer, and of no other. */
export async function metadataOf(issuer: string, fetchFn: typeof fetch): Promise<AuthorizationServerMetadata> {
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
  if (metadata === undefined) throw refused('its authorization server has no metadata');
  return checkMetadata(metadata);
}

function checkMetadata(metadata: AuthorizationServerMetadata): AuthorizationServerMetadata {
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true) {
    throw refused('its authorization server does not protect codes (PKCE with S256)');
  }
  for (const name of endpoints) {
    const { [name]: url } = metadata as { readonly [Name in (typeof endpoints)[number]]?: unknown };
    if (url !== undefined && (typeof url !== 'string' || !isSafe(url)))
      throw refused(`the ${name} is neither https nor on this machine`);
  }
  return metadata;
}

function isSafe(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' });

/** Asks the server without credentials, so that it says where its metadata is. Some servers know no other requests than those with POST. */
async function challengeOf(
  serverUrl: string,
  fetchFn: typeof fetch,
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const accept = 'application/json, text/event-stream';
  const response = await fetchFn(serverUrl, {
    method: 'POST',
    body: ping,
    headers: { accept, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  if (response.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** Returns the error of metadata that must not be used. */
export function refused(problem: string): KernelError {
  return new KernelError('E_FETCH_REFUSED', problem);
}
