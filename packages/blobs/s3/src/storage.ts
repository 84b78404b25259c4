import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { isBlobRef } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';

/** Encryption of objects by the server; its own default if absent. */
export type S3Encryption =
  | { readonly algorithm: 'AES256' }
  /** `keyId` names a key of the key service; the service's default key if absent. */
  | { readonly algorithm: 'aws:kms'; readonly keyId?: string };

/**
 * Objects of a store in its bucket:
 *
 *     <prefix>records/<ref>     JSON: an unfinished write, or metadata and pins, or a removal
 *     <prefix>content/<ref>     the bytes
 *
 * The record decides whether a blob exists. Content without a record belongs to no blob.
 */
export interface S3Storage {
  readonly client: S3Client;
  readonly bucket: string;
  readonly prefix: string;
  /** Parameters of each request that creates an object. */
  readonly encryption: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId'>;
}

/** Kind of an object. */
export type ObjectKind = 'records' | 'content';

/** Returns the bucket and the key of an object. Check `ref` with `isBlobRef` first. */
export function addressOf(
  { bucket, prefix }: S3Storage,
  kind: ObjectKind,
  ref: BlobRef,
): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: bucket, Key: `${prefix}${kind}/${ref}` };
}

/** Returns the bucket and the key prefix of a kind. */
export function folderOf(
  { bucket, prefix }: S3Storage,
  kind: ObjectKind,
): { readonly Bucket: string; readonly Prefix: string } {
  return { Bucket: bucket, Prefix: `${prefix}${kind}/` };
}

/** Returns the ref in a key of a kind, `undefined` for an object that this store did not create. */
export function refOf({ prefix }: S3Storage, kind: ObjectKind, key: string | undefined): BlobRef | undefined {
  const ref = key?.slice(`${prefix}${kind}/`.length);
  return isBlobRef(ref) ? ref : undefined;
}

/** Returns {@link S3Encryption} as parameters of the SDK. */
export function encryptionParameters(encryption: S3Encryption | undefined): S3Storage['encryption'] {
  if (encryption === undefined) return {};
  const { algorithm } = encryption;
  const keyId = 'keyId' in encryption ? encryption.keyId : undefined;
  return { ServerSideEncryption: algorithm, ...(keyId === undefined ? {} : { SSEKMSKeyId: keyId }) };
}

/** Adds the SHA-256 of the body to a request, which the SDK would otherwise compute in one go, for the signature. */
export function withBodyDigest<Request extends { request: unknown }>(request: Request, sha256: string): Request {
  const { headers } = request.request as { headers: Record<string, string> };
  headers['x-amz-content-sha256'] = sha256;
  return request;
}
