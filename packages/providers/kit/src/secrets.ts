import type { ModelError } from '@ravi/kernel';
import { clip } from './http-error.ts';

/** Values of a request that no message may contain, longest first. */
export type Secrets = readonly string[];

const openHeaders = /^(?:accept|content-type|user-agent)$|-(?:beta|version)$/u;
const secretParameters = /auth|key|pass|secret|sig|token/iu;

/** Shorter values are not secrets: masking them would mask ordinary words. */
const minChars = 8;

/**
 * Returns the values of headers and their parts, and the keys in a URL, each plain and in the encodings in which a server
 * may repeat it: base64, hex, percent escapes and JSON escapes.
 */
export function secretsOf(headers: Headers, address?: URL): Secrets {
  const values = [...headers].flatMap(([name, value]) => (openHeaders.test(name) ? [] : [value]));
  const parts = values.flatMap((value) => [...value.split(/[\s,;=]+/u), ...credentialsIn(value)]);
  const parameters = [...(address?.searchParams ?? [])].flatMap(([name, value]) =>
    secretParameters.test(name) ? [value] : [],
  );
  const plain = new Set([...values, ...parts, ...parameters].filter((secret) => secret.length >= minChars));
  const secrets = new Set([...plain].flatMap(encodingsOf).filter((secret) => secret.length >= minChars));
  return [...secrets].toSorted((left, right) => right.length - left.length);
}

/** Returns user and password of a `Basic` header. */
function credentialsIn(value: string): readonly string[] {
  const [, encoded] = /^basic\s+(\S+)$/iu.exec(value) ?? [];
  if (encoded === undefined) return [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return [text, ...text.split(':')];
}

function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const escaped = encodeURIComponent(secret);
  const hex = bytes.toString('hex');
  return [
    secret,
    escaped,
    escaped.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
    escaped.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
}

/**
 * Returns the base64 characters that depend only on these bytes if they begin `offset` bytes after a group of three, in
 * both alphabets.
 */
function base64At(bytes: Buffer, offset: number): readonly string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const text = whole.toString('base64').replace(/=+$/u, '');
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor((whole.byteLength * 8) / 6);
  const certain = text.slice(start, end);
  return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')];
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
