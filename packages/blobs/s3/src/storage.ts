import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { isBlobRef } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';

/** What the server encrypts objects with; its own default when absent. */
export type S3Encryption =
  | { readonly algorithm: 'AES256' }
  /** `keyId` names a key of the key service; the service's default key when absent. */
  | { readonly algorithm: 'aws:kms'; readonly keyId?: string };

/**
 * Where objects lie:
 *
 *     <prefix>records/<ref>     JSON: that a write is under way, or metadata and pins, or that the blob is being removed
 *     <prefix>content/<ref>     the bytes
 *
 * A blob is what its record says. Content without a record is nobody's.
 */
export interface S3Storage {
  readonly client: S3Client;
  readonly bucket: string;
  readonly prefix: string;
  /** Parameters of each request that makes an object. */
  readonly encryption: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId'>;
}

/** The two kinds of objects. */
export type ObjectKind = 'records' | 'content';

/** Bucket and key of an object. `ref` must have passed `isBlobRef`. */
export function addressOf(
  { bucket, prefix }: S3Storage,
  kind: ObjectKind,
  ref: BlobRef,
): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: bucket, Key: `${prefix}${kind}/${ref}` };
}

/** Bucket and beginning of the keys of a kind. */
export function folderOf(
  { bucket, prefix }: S3Storage,
  kind: ObjectKind,
): { readonly Bucket: string; readonly Prefix: string } {
  return { Bucket: bucket, Prefix: `${prefix}${kind}/` };
}

/** The ref that a key of a kind stands for, `undefined` for an object that this store did not make. */
export function refOf({ prefix }: S3Storage, kind: ObjectKind, key: string | undefined): BlobRef | undefined {
  const ref = key?.slice(`${prefix}${kind}/`.length);
  return isBlobRef(ref) ? ref : undefined;
}

/** {@link S3Encryption} in the words of the SDK. */
export function encryptionParameters(encryption: S3Encryption | undefined): S3Storage['encryption'] {
  if (encryption === undefined) return {};
  const { algorithm } = encryption;
  const keyId = 'keyId' in encryption ? encryption.keyId : undefined;
  return { ServerSideEncryption: algorithm, ...(keyId === undefined ? {} : { SSEKMSKeyId: keyId }) };
}
