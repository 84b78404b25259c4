import { KernelError } from '@ravi/kernel';
import type { BlobRef } from '@ravi/kernel';

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
