import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { JsonValue, Principal, SecretStore, ValuePlace } from '@ravi/kernel';

/** Client of an authorization server, as it was registered there or configured here. */
export interface StoredClient {
  readonly serverUrl: string;
  readonly issuer: string;
  readonly redirectUri: string;
  readonly client: OAuthClientInformationMixed;
  /** True for the client of the configuration: the record binds its secret to the issuer. */
  readonly isConfigured?: true;
}

/** Sign-in that a principal has begun. */
export interface PendingSignIn extends StoredClient {
  readonly state: string;
  readonly codeVerifier: string;
  readonly resource: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly expiresAt: number;
}

/** Credentials of one principal at one server. */
export interface Credentials {
  readonly serverUrl: string;
  readonly issuer: string;
  readonly resource: string;
  readonly client: OAuthClientInformationMixed;
  readonly tokens: StoredOAuthTokens;
  /** Milliseconds since the Unix epoch; absent if the server did not say. */
  readonly expiresAt?: number;
  /** Process that refreshes them now, until a time. The refresh token must not be used twice. */
  readonly refreshing?: { readonly by: string; readonly until: number };
}

/** Record with the revision that it was read with. */
export interface Revised<Value> {
  readonly value: Value;
  readonly revision: number;
}

/** Records of one kind: one for each principal. */
export interface RecordStore<Value extends object> {
  /** Returns the record, unless it was made for another address of the server: then it does not count. */
  get(principal: Principal): Promise<Revised<Value> | undefined>;
  /** Stores a record. Returns `undefined` if it has another revision than `ifRevision`; 0 stands for none. */
  put(principal: Principal, value: Value, ifRevision?: number): Promise<number | undefined>;
  delete(principal: Principal, ifRevision?: number): Promise<boolean>;
}

/** Area of records in the secrets. */
export type RecordArea = 'mcp-clients' | 'mcp-sign-ins' | 'mcp-credentials';

/**
 * Opens the records of a server in the secrets. They belong to its name and its address together: a server that takes the name of
 * another, or a name that gets another address, finds none of them.
 */
export function openRecords<Value extends { readonly serverUrl: string }>(
  secrets: SecretStore,
  area: RecordArea,
  { name, serverUrl }: { readonly name: string; readonly serverUrl: string },
): RecordStore<Value> {
  const placeOf = (principal: Principal): ValuePlace => ({ area, principal, key: name });
  const read = async (principal: Principal): Promise<Revised<Value> | undefined> => {
    const stored = await secrets.get(placeOf(principal));
    return stored && { value: stored.value as unknown as Value, revision: stored.revision };
  };
  return {
    async get(principal) {
      const stored = await read(principal);
      return stored?.value.serverUrl === serverUrl ? stored : undefined;
    },
    async put(principal, value, ifRevision) {
      const json = JSON.parse(JSON.stringify(value)) as JsonValue;
      if (ifRevision !== 0) {
        return secrets.put(placeOf(principal), json, ifRevision === undefined ? {} : { ifRevision });
      }
      // A record for another address is in the place of none.
      const stored = await read(principal);
      const isOther = stored !== undefined && stored.value.serverUrl !== serverUrl;
      return secrets.put(placeOf(principal), json, { ifRevision: isOther ? stored.revision : 0 });
    },
    delete: (principal, ifRevision) =>
      secrets.delete(placeOf(principal), ifRevision === undefined ? {} : { ifRevision }),
  };
}

/** Creates secrets that end with the process, for one without a state store. */
export function createMemorySecrets(): SecretStore {
  const values = new Map<string, { value: JsonValue; revision: number }>();
  let last = 0;
  const keyOf = (place: ValuePlace): string => JSON.stringify([place.area, place.principal, place.key]);
  const isExpected = (key: string, ifRevision: number | undefined): boolean =>
    ifRevision === undefined || (values.get(key)?.revision ?? 0) === ifRevision;
  return {
    async get(place) {
      const known = values.get(keyOf(place));
      return known && { key: place.key, ...known };
    },
    async put(place, value, { ifRevision } = {}) {
      const key = keyOf(place);
      if (!isExpected(key, ifRevision)) return undefined;
      values.set(key, { value, revision: ++last });
      return last;
    },
    async delete(place, { ifRevision } = {}) {
      const key = keyOf(place);
      return isExpected(key, ifRevision) && values.delete(key);
    },
  };
}
