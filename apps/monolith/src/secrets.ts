import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { JsonValue, SecretStore, StoredValue, ValuePlace, ValueStore } from '@ravi/kernel';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v1';
// Of encrypted text, so that the value store holds it with its quotes.
const maxCharacters = 1_000_000;

/**
 * Creates a store of encrypted values with a key that is derived from the digest key of the installation. The place of a value is
 * authenticated with it, so that a value that was moved to another place or owner in the storage is refused like a damaged one.
 */
export function createSecretStore(values: ValueStore, digestKey: Uint8Array): SecretStore {
  const key = new Uint8Array(hkdfSync('sha256', digestKey, '', 'secrets', keyBytes));
  return {
    async get(place) {
      const stored = await values.get(place);
      return stored && decrypted(key, place, stored);
    },
    put: async (place, value, options) => values.put(place, encrypt(key, place, value), options),
    delete: (place, options) => values.delete(place, options),
  };
}

function encrypt(key: Uint8Array, place: ValuePlace, value: JsonValue): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(nameOf(place));
  const content = Buffer.concat([nonce, cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  const text = `${version}.${Buffer.concat([content, cipher.getAuthTag()]).toString('base64url')}`;
  if (text.length <= maxCharacters) return text;
  throw new KernelError('E_STATE_INVALID', `The secret ${shown(place)} is too long: ${text.length} characters`);
}

function decrypted(key: Uint8Array, place: ValuePlace, stored: StoredValue): StoredValue {
  const { value } = stored;
  try {
    if (typeof value !== 'string' || !value.startsWith(`${version}.`)) throw new TypeError('no encrypted value');
    const content = Buffer.from(value.slice(version.length + 1), 'base64url');
    const [nonce, tag] = [content.subarray(0, nonceBytes), content.subarray(-tagBytes)];
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(nameOf(place));
    decipher.setAuthTag(tag);
    const text = Buffer.concat([decipher.update(content.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    return { ...stored, value: JSON.parse(text.toString('utf8')) as JsonValue };
  } catch (cause) {
    // Without the cause: its message may hold a part of the content.
    const name = cause instanceof Error ? cause.name : 'error';
    throw new KernelError(
      'E_STATE_CORRUPT',
      `The secret ${shown(place)} cannot be read (${name}): it is damaged, or was written with another digest key`,
    );
  }
}

// Injective: JSON of the three parts.
function nameOf({ area, principal, key }: ValuePlace): Buffer {
  return Buffer.from(JSON.stringify([area, principal, key]), 'utf8');
}

function shown({ area, key }: ValuePlace): string {
  return JSON.stringify(`${area}/${key}`.slice(0, 200));
}
