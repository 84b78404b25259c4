import type { JsonObject } from '@ravi/kernel';
import { isObject, member, resolved, shown, textMember, Unusable } from '../document/json-pointer.ts';

/** Credential of a security scheme: a key or token, or name and password for the scheme `basic`. */
export type Credential = string | { readonly username: string; readonly password: string };

/** Credential as it is sent. */
export interface SentCredential {
  readonly place: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the credentials that a call of the operation sends: those of the first requirement for which all are configured.
 * @throws Unusable naming the schemes to configure
 */
export function readCredentials(
  document: JsonObject,
  operation: JsonObject,
  configured: Readonly<Record<string, Credential>>,
): readonly SentCredential[] {
  const requirements = operation['security'] ?? document['security'] ?? [];
  if (!Array.isArray(requirements)) throw new Unusable('its security is not a list');
  const lists = requirements.map((requirement: unknown) => (isObject(requirement) ? Object.keys(requirement) : []));
  const isConfigured = (names: readonly string[]): boolean => names.every((name) => Object.hasOwn(configured, name));
  const usable = lists.filter(isConfigured);
  const chosen = usable.find((names) => names.length > 0) ?? usable[0];
  if (chosen === undefined && lists.length > 0) {
    const wanted = lists.map((names) => names.map(shown).join(' and ')).join(', or ');
    throw new Unusable(`it needs credentials for ${wanted}; set "credentials"`);
  }
  return (chosen ?? []).map((name) => sent(document, name, configured[name] ?? ''));
}

function sent(document: JsonObject, scheme: string, credential: Credential): SentCredential {
  const schemes = member(document['components'], 'securitySchemes');
  const part = resolved(document, member(schemes, scheme), `the security scheme ${shown(scheme)}`);
  const type = textMember(part, 'type');
  if (type === 'apiKey') return apiKey(part, scheme, textOf(credential, scheme));
  const authorization = (value: string): SentCredential => ({ place: 'header', name: 'authorization', value });
  if (type === 'oauth2' || type === 'openIdConnect') return authorization(`Bearer ${textOf(credential, scheme)}`);
  const kind = type === 'http' ? textMember(part, 'scheme')?.toLowerCase() : undefined;
  if (kind === 'bearer') return authorization(`Bearer ${textOf(credential, scheme)}`);
  if (kind !== 'basic') throw new Unusable(`the security scheme ${shown(scheme)} is not supported`);
  if (typeof credential === 'string')
    throw new Unusable(`the credential ${shown(scheme)} needs a username and a password`);
  const pair = `${credential.username}:${credential.password}`;
  return authorization(`Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
}

function apiKey(part: JsonObject, scheme: string, value: string): SentCredential {
  const place = (['header', 'query', 'cookie'] as const).find((each) => each === part['in']);
  const name = textMember(part, 'name');
  if (place === undefined || name === undefined || name === '') {
    throw new Unusable(`the security scheme ${shown(scheme)} has no name or no place`);
  }
  if (place !== 'query' && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    throw new Unusable(`the security scheme ${shown(scheme)} has a name that cannot be that of a ${place}`);
  }
  return { place, name, value };
}

function textOf(credential: Credential, scheme: string): string {
  if (typeof credential !== 'string') throw new Unusable(`the credential ${shown(scheme)} must be a text`);
  return credential;
}
