import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { JsonValue } from '@ravi/kernel';
import { canonicalJson } from './canonical-json.ts';

/** Digests canonical text with the key of this installation: `hmac-sha256:<hex>`. */
export type Digester = (canonical: string) => string;

/** A {@link Digester} with this key; the key schedule is computed once. */
export function createDigester(key: Uint8Array): Digester {
  const keyed = hmac.create(sha256, key);
  return (canonical) => `hmac-sha256:${bytesToHex(keyed.clone().update(utf8ToBytes(canonical)).digest())}`;
}

/** SHA-256 of a JSON value in canonical form, lower-case hexadecimal. */
export function sha256OfJson(value: JsonValue): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
