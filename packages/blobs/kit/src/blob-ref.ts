import { createHash, randomBytes } from 'node:crypto';
import type { BlobRef } from '@ravi/kernel';

// Hexadecimal rather than base64url, so that two refs stay different on a file system that ignores case.
const pattern = /^blob_[0-9a-f]{32}$/;

/** Creates a ref with 128 random bits. */
export function createBlobRef(): BlobRef {
  return `blob_${randomBytes(16).toString('hex')}`;
}

/**
 * Returns true if `ref` has the form that {@link createBlobRef} creates. Check before you build a path or a key from
 * it: a valid ref contains no separator, no dot and no control character.
 */
export function isBlobRef(ref: unknown): ref is BlobRef {
  return typeof ref === 'string' && pattern.test(ref);
}

/** Returns the name of the pin of `owner`: 64 hexadecimal digits, whereas the name of an owner may be any text. */
export function pinNameOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex');
}
