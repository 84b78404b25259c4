import { createHash, randomBytes } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { BlobRef, SweepOptions } from '@ravi/kernel';

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

const readableOwner = /^[\x20-\x7e]{1,100}$/;
const readablePrefix = 'owner-';

/**
 * Returns the name of the pin of `owner`: lower-case letters, digits and hyphens, whereas the name of an owner may be any
 * text. It can be read back if the owner has at most 100 characters of printable ASCII.
 */
export function pinNameOf(owner: string): string {
  if (!readableOwner.test(owner)) return digestOf(owner);
  return `${readablePrefix}${Buffer.from(owner, 'latin1').toString('hex')}`;
}

/** Returns every name that a pin of `owner` may have: the first is the current one, the other that of earlier versions. */
export function pinNamesOf(owner: string): readonly string[] {
  return [...new Set([pinNameOf(owner), digestOf(owner)])];
}

/** Returns the owner of the pin with this name; `undefined` if the name does not tell. */
function pinOwnerOf(name: string): string | undefined {
  const hex = name.startsWith(readablePrefix) ? name.slice(readablePrefix.length) : '';
  const owner = Buffer.from(hex, 'hex').toString('latin1');
  return readableOwner.test(owner) && pinNameOf(owner) === name ? owner : undefined;
}

/** Returns those of the named pins whose owners are abandoned. */
export async function abandonedPins(
  names: readonly string[],
  { isAbandoned }: SweepOptions,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of isAbandoned === undefined ? [] : names) {
    const owner = pinOwnerOf(name);
    if (owner !== undefined && (await isAbandoned?.(owner)) === true) found.add(name);
  }
  return found;
}

function digestOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex');
}

/** Creates `E_BLOB_NOT_FOUND` for a ref that is unknown, malformed, expired or removed, without saying which. */
export function blobNotFound(ref: BlobRef): KernelError {
  return new KernelError('E_BLOB_NOT_FOUND', `No blob ${quote(ref)}: it was never stored, has expired or was removed`);
}

/** Creates `E_BLOB_CORRUPT` for content that differs from what was stored. */
export function blobCorrupt(ref: BlobRef, detail: string, cause?: unknown): KernelError {
  return new KernelError('E_BLOB_CORRUPT', `Blob ${quote(ref)} is corrupt: ${detail}`, { cause });
}

/** Shortens and escapes a ref, because it comes from a script or a model. */
function quote(ref: BlobRef): string {
  const text = String(ref);
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
