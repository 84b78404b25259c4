import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { KernelError } from '@ravi/kernel';
import type { BlobStat, JsonObject, JsonValue } from '@ravi/kernel';

/** Digests canonical text with the key of this installation: `hmac-sha256:<hex>`. */
export type Digester = (canonical: string) => string;

/** A shorter key could be guessed, and small arguments with it. */
const minKeyBytes = 32;

/**
 * Creates a {@link Digester} with this key; the key schedule is computed once.
 * @throws KernelError `E_CONFIG_INVALID` for a key below 32 bytes
 */
export function createDigester(key: Uint8Array): Digester {
  if (key.byteLength < minKeyBytes) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The digest key needs at least ${minKeyBytes} bytes, it has ${key.byteLength}`,
    );
  }
  const keyed = hmac.create(sha256, key);
  return (canonical) => `hmac-sha256:${bytesToHex(keyed.clone().update(utf8ToBytes(canonical)).digest())}`;
}

/** Returns the SHA-256 of a JSON value in canonical form, in lower-case hexadecimal. */
export function sha256OfJson(value: JsonValue): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}

/**
 * Returns canonical JSON: no white space, keys sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * Source: RFC 8785 (JCS).
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as { readonly [key: string]: JsonValue };
  const members: string[] = [];
  for (const key of Object.keys(object).toSorted()) {
    members.push(`${JSON.stringify(key)}:${canonicalJson(object[key] as JsonValue)}`);
  }
  return `{${members.join(',')}}`;
}

/** Returns a copy of `args` in which every known artifact ref is replaced by the hash of its content: `sha256:<hex>`. */
export function withContentHashes(args: JsonObject, stats: ReadonlyMap<string, BlobStat>): JsonObject {
  return replace(args, stats) as JsonObject;
}

function replace(value: JsonValue, stats: ReadonlyMap<string, BlobStat>): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((child: JsonValue) => replace(child, stats));
  const entries = Object.entries(value as JsonObject);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === '$artifact' && typeof only[1] === 'string') {
    const hash = stats.get(only[1])?.sha256;
    return hash === undefined ? value : { $artifact: `sha256:${hash}` };
  }
  return Object.fromEntries(entries.map(([key, child]) => [key, replace(child, stats)]));
}
