import type { ModelError } from '@ravi/kernel';
import { clip } from './http-error.ts';

/** What of a request no message may tell, the longest first. */
export type Secrets = readonly string[];

const openHeaders = /^(?:accept|content-type|user-agent)$|-(?:beta|version)$/u;
const secretParameters = /auth|key|pass|secret|sig|token/iu;

/**
 * The values of headers and their parts, and what an address holds of keys. What is shorter than eight characters is none:
 * hiding it would hide words.
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

/** The error as it may be told. It is clipped last, so that no part of a key stands at the cut. */
export function withoutSecrets(error: ModelError, secrets: Secrets): ModelError {
  const told = (text: string): string =>
    clip(secrets.reduce((masked, secret) => masked.replaceAll(secret, '[key]'), text));
  const { message, providerCode, requestId } = error;
  return {
    ...error,
    message: told(message),
    ...(providerCode === undefined ? {} : { providerCode: told(providerCode) }),
    ...(requestId === undefined ? {} : { requestId: told(requestId) }),
  };
}
