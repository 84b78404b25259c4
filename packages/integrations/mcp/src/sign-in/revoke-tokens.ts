import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import { metadataOf } from './discover.ts';
import type { Credentials } from './stored-records.ts';

const limitMs = 10_000;

/** Tells the authorization server that tokens are no longer used (RFC 7009). It is a courtesy: a failure changes nothing here. */
export async function revokeTokens({ issuer, client, tokens }: Credentials, fetchFn: typeof fetch): Promise<void> {
  try {
    const metadata = await metadataOf(issuer, fetchFn);
    const { revocation_endpoint: endpoint } = metadata as { readonly revocation_endpoint?: string };
    if (endpoint === undefined) return;
    const { revocation_endpoint_auth_methods_supported: methods = [] } = metadata as {
      readonly revocation_endpoint_auth_methods_supported?: string[];
    };
    const method = selectClientAuthMethod(client, methods);
    for (const [hint, token] of [
      ['refresh_token', tokens.refresh_token],
      ['access_token', tokens.access_token],
    ] as const) {
      if (token === undefined) continue;
      const body = new URLSearchParams({ token, token_type_hint: hint });
      const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
      const { client_id: id, client_secret: secret } = client;
      if (method === 'client_secret_basic' && secret !== undefined) {
        const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
        headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
      } else {
        body.set('client_id', id);
        if (secret !== undefined) body.set('client_secret', secret);
      }
      const signal = AbortSignal.timeout(limitMs);
      const response = await fetchFn(endpoint, { method: 'POST', headers, body, redirect: 'error', signal });
      await response.body?.cancel();
    }
  } catch {
    // The tokens are forgotten here, and expire there.
  }
}
