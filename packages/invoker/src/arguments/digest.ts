import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { canonicalJson } from './canonical-json.ts';

/** Digests canonical text with the key of this installation: `hmac-sha256:<hex>`. */
export type Digester = (canonical: string) => string;

/** A shorter key could be guessed, and with it what small arguments were. */
const minKeyBytes = 32;

/**
 * A {@link Digester} with this key; the key schedule is computed once.
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

/** SHA-256 of a JSON value in canonical form, lower-case hexadecimal. */
export function sha256OfJson(value: JsonValue): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
