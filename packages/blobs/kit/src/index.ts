export { blobCorrupt, blobNotFound } from './blob-errors.ts';
export { abandonInput, chunkBytes, copyOf, readChunks, throwIfCancelled } from './blob-input.ts';
export type { BlobInput } from './blob-input.ts';
export { clipRange } from './blob-range.ts';
export type { ClippedRange } from './blob-range.ts';
export { createBlobRef, isBlobRef } from './blob-ref.ts';
export { expiryOf, isExpired } from './expiry.ts';
