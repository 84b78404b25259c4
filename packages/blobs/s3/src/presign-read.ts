import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { BlobMetadata } from '@ravi/blob-kit';
import { guarded } from './errors.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';

/** Options of `S3BlobStore.presignRead`. */
export interface PresignOptions {
  /** Milliseconds until the URL ends, from one second to seven days; it never outlives the blob's own expiry. */
  readonly expiresInMs: number;
}

const secondMs = 1_000;
const weekMs = 7 * 24 * 3_600 * secondMs;

/** A signed URL for the content. @throws TypeError when `expiresInMs` is out of range */
export async function presignRead(
  storage: S3Storage,
  { ref, mediaType, expiresAt }: BlobMetadata,
  { expiresInMs, now }: PresignOptions & { readonly now: number },
): Promise<string> {
  if (!(expiresInMs >= secondMs && expiresInMs <= weekMs)) {
    throw new TypeError(`expiresInMs must be from ${secondMs} to ${weekMs}, not ${expiresInMs}`);
  }
  const lifetimeMs = Math.min(expiresInMs, (expiresAt ?? Number.POSITIVE_INFINITY) - now);
  const get = new GetObjectCommand({
    ...addressOf(storage, 'content', ref),
    ResponseContentType: mediaType,
    // A browser must not run what a tool stored as a page of the bucket's origin.
    ResponseContentDisposition: 'attachment',
  });
  const expiresIn = Math.max(1, Math.floor(lifetimeMs / secondMs));
  return guarded('sign a URL', () => getSignedUrl(storage.client, get, { expiresIn }));
}
