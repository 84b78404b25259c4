import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { BlobMetadata } from '@ravi/blob-kit';
import { guarded } from './errors.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';

/** Options of `S3BlobStore.presignRead`. */
export interface PresignOptions {
  /** Lifetime of the URL in milliseconds, from one second to seven days; it ends no later than the blob. */
  readonly expiresInMs: number;
}

/** Result of `S3BlobStore.presignRead`: a URL and the content that it must serve. */
export interface PresignedRead {
  readonly url: string;
  readonly bytes: number;
  /** Lower-case hexadecimal SHA-256. */
  readonly sha256: string;
}

const secondMs = 1_000;
const weekMs = 7 * 24 * 3_600 * secondMs;

/** Signs a URL for the content. @throws TypeError if `expiresInMs` is out of range */
export async function presignRead(
  storage: S3Storage,
  { ref, mediaType, expiresAt, bytes, sha256 }: BlobMetadata,
  { expiresInMs, now }: PresignOptions & { readonly now: number },
): Promise<PresignedRead> {
  if (!(expiresInMs >= secondMs && expiresInMs <= weekMs)) {
    throw new TypeError(`expiresInMs must be from ${secondMs} to ${weekMs}, not ${expiresInMs}`);
  }
  const lifetimeMs = Math.min(expiresInMs, (expiresAt ?? Number.POSITIVE_INFINITY) - now);
  const get = new GetObjectCommand({
    ...addressOf(storage, 'content', ref),
    ResponseContentType: mediaType,
    // A browser must not run stored content as a page of the bucket's origin.
    ResponseContentDisposition: 'attachment',
  });
  const expiresIn = Math.max(1, Math.floor(lifetimeMs / secondMs));
  const url = await guarded('sign a URL', () => getSignedUrl(storage.client, get, { expiresIn }));
  return { url, bytes, sha256 };
}
