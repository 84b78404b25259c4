export { abandonInput, chunkBytes, copyOf, readChunks, throwIfCancelled } from './blob-input.ts';
export type { BlobInput } from './blob-input.ts';
export { describeBlob, expiryOf, isExpired, parseStored, requireMetadata } from './blob-metadata.ts';
export type { BlobDescription, BlobMetadata } from './blob-metadata.ts';
export { clipRange } from './blob-range.ts';
export type { ClippedRange } from './blob-range.ts';
export {
  abandonedPins,
  blobCorrupt,
  blobNotFound,
  createBlobRef,
  isBlobRef,
  pinNameOf,
  pinNamesOf,
} from './blob-ref.ts';
export { streamOfChunks, verifiedChunks } from './verified-chunks.ts';
