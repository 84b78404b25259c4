import type { ModelError } from '@ravi/kernel';
import { clip } from './http-error.ts';

/** Values of a request that no message may contain, longest first. */
export type Secrets = readonly string[];

const openHeaders = /^(?:accept|content-type|user-agent)$|-(?:beta|version)$/u;
const secretParameters = /auth|key|pass|secret|sig|token/iu;

/**
 * Returns the values of headers and their parts, and the keys in a URL. Values shorter than eight characters are not
 * secrets: masking them would mask ordinary words.
 */
export function secretsOf(headers: Headers, address?: URL): Secrets {
  const values = [...headers].flatMap(([name, value]) => (openHeaders.test(name) ? [] : [value]));
  const parts = values.flatMap((value) => value.split(/[\s,;=]+/u));
  const parameters = [...(address?.searchParams ?? [])].flatMap(([name, value]) =>
    secretParameters.test(name) ? [value, encodeURIComponent(value)] : [],
  );
  const secrets = new Set([...values, ...parts, ...parameters].filter((secret) => secret.length > 7));
  return [...secrets].toSorted((left, right) => right.length - left.length);
}

/** Returns the error without secrets. It is clipped last, so that no part of a key remains at the cut. */
export function withoutSecrets(error: ModelError, secrets: Secrets): ModelError {
  const masked = (text: string): string =>
    clip(secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text));
  const { message, providerCode, requestId } = error;
  return {
    ...error,
    message: masked(message),
    ...(providerCode === undefined ? {} : { providerCode: masked(providerCode) }),
    ...(requestId === undefined ? {} : { requestId: masked(requestId) }),
  };
}
