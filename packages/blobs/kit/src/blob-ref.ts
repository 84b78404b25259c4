import { createHash, randomBytes } from 'node:crypto';
import type { BlobRef } from '@ravi/kernel';

// Hexadecimal rather than base64url: a file system that ignores case must not take one ref for another.
const pattern = /^blob_[0-9a-f]{32}$/;

/** A new ref with 128 random bits. */
export function createBlobRef(): BlobRef {
  return `blob_${randomBytes(16).toString('hex')}`;
}

/**
 * Whether `ref` has the form that {@link createBlobRef} gives. Ask before a path or a key is built from it: what passes
 * holds no separator, no dot and no control character.
 */
export function isBlobRef(ref: unknown): ref is BlobRef {
  return typeof ref === 'string' && pattern.test(ref);
}

/** What a store calls the pin of `owner`: an owner may be called anything, this is 64 hexadecimal digits. */
export function pinNameOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex');
}
