import { registerClient } from '@modelcontextprotocol/client';
import type { OAuthClientInformationMixed, OAuthClientMetadata } from '@modelcontextprotocol/client';
import type { Clock } from '@ravi/kernel';
import type { SignInOptions } from '../options.ts';
import { refused } from './discover.ts';
import type { Discovered } from './discover.ts';
import type { RecordStore, StoredClient } from './stored-records.ts';

/** Owner of the client, which all principals of the installation share. */
const installation = '';

/** Parts of {@link clientFor}. */
export interface ClientParts {
  readonly serverUrl: string;
  readonly options: SignInOptions;
  readonly clients: RecordStore<StoredClient>;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/**
 * Returns the client for an authorization server: the configured one, the address of its metadata document, or one that registers itself
 * and is kept. A configured client is bound to the issuer that was met first, so that no other gets its secret.
 */
export async function clientFor(
  { issuer, metadata }: Discovered,
  redirectUri: string,
  parts: ClientParts,
): Promise<OAuthClientInformationMixed> {
  const { options, clients, serverUrl } = parts;
  if (options.issuer !== undefined && options.issuer !== issuer) {
    throw refused('its authorization server is not the configured issuer');
  }
  const known = await clients.get(installation);
  if (options.clientId !== undefined) {
    const { clientId: client_id, clientSecret: client_secret } = options;
    const client = { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
    if (options.issuer !== undefined) return client;
    if (known !== undefined && known.value.issuer !== issuer) {
      throw refused('its authorization server has changed; name the new one in signIn.issuer');
    }
    // Without the secret, which the configuration has.
    if (known === undefined)
      await clients.put(installation, { serverUrl, issuer, redirectUri, client: { client_id }, isConfigured: true }, 0);
    return client;
  }
  const { clientMetadataUrl } = options;
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { client_id: clientMetadataUrl };
  }
  const isUsable = known?.value.issuer === issuer && known.value.redirectUri === redirectUri;
  if (isUsable && !isExpired(known.value.client, parts.clock)) return known.value.client;
  if (metadata.registration_endpoint === undefined) {
    throw refused('its authorization server registers no clients; register one and set signIn.clientId');
  }
  const client = await registerClient(issuer, {
    metadata,
    clientMetadata: clientMetadataOf(redirectUri, options),
    fetchFn: parts.fetch,
  });
  const record = { serverUrl, issuer, redirectUri, client };
  const isKept = (await clients.put(installation, record, known?.revision ?? 0)) !== undefined;
  const other = isKept ? undefined : await clients.get(installation);
  // Another process was first: its registration is used, so that one is enough.
  const isSame = other?.value.issuer === issuer && other.value.redirectUri === redirectUri;
  return isSame ? other.value.client : client;
}

/**
 * Forgets the registered client, which its authorization server no longer knows. The next sign-in registers another. A configured
 * client stays bound to its issuer.
 */
export async function forgetClient(clients: RecordStore<StoredClient>, clientId: string): Promise<void> {
  const known = await clients.get(installation);
  if (known?.value.client.client_id === clientId && known.value.isConfigured !== true)
    await clients.delete(installation, known.revision);
}

function clientMetadataOf(redirectUri: string, { scope }: SignInOptions): OAuthClientMetadata {
  const isWeb = new URL(redirectUri).protocol === 'https:';
  return {
    client_name: 'Ravi',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: isWeb ? 'web' : 'native',
    ...(scope === undefined ? {} : { scope }),
  };
}

function isExpired(client: OAuthClientInformationMixed, clock: Clock): boolean {
  const { client_secret_expires_at: at = 0 } = client as { readonly client_secret_expires_at?: number };
  return at > 0 && at * 1_000 <= clock.now();
}
