import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { defaultMaxAttempts, defaultRequestTimeoutMs } from './connection.ts';
import { credentialsFrom } from './credentials.ts';
import type { CredentialVariables } from './credentials.ts';
import { createS3BlobStore, defaultOrphanAgeMs, defaultPartBytes, defaultPartsAtOnce } from './s3-blob-store.ts';
import type { S3BlobStoreOptions } from './s3-blob-store.ts';

export type { S3ConnectionOptions } from './connection.ts';
export type { CredentialVariables } from './credentials.ts';
export type { S3Encryption } from './storage.ts';
export type { PresignedRead, PresignOptions } from './presign-read.ts';
export { createS3BlobStore } from './s3-blob-store.ts';
export type { S3BlobStore, S3BlobStoreOptions } from './s3-blob-store.ts';

/** Options of the plugin in the configuration. */
export interface S3BlobConfig extends Omit<S3BlobStoreOptions, 'clock' | 'credentials'> {
  /** Environment variables that hold the keys; the default chain of the SDK by default. */
  readonly credentials?: CredentialVariables;
}

const text = (description: string): object => ({ type: 'string', minLength: 1, description });
const count = (minimum: number, value: number, description: string): object => ({
  type: 'integer',
  minimum,
  default: value,
  description,
});

const plugin: Plugin<'blobStore', S3BlobConfig> = definePlugin({
  name: 'blob-s3',
  port: 'blobStore',
  configSchema: {
    type: 'object',
    properties: {
      bucket: text('An existing bucket.'),
      prefix: { type: 'string', default: '', description: 'Prefix of every key, for example "ravi/".' },
      region: text('Region of the bucket.'),
      endpoint: text("Base URL of a server other than Amazon's."),
      forcePathStyle: { type: 'boolean', description: 'Puts the bucket name into the path instead of the host name.' },
      credentials: {
        type: 'object',
        properties: {
          accessKeyIdVariable: text('Environment variable that holds the access key.'),
          secretAccessKeyVariable: text('Environment variable that holds the secret key.'),
          sessionTokenVariable: text('Environment variable that holds the session token.'),
        },
        required: ['accessKeyIdVariable', 'secretAccessKeyVariable'],
        additionalProperties: false,
      },
      encryption: {
        type: 'object',
        properties: {
          algorithm: { enum: ['AES256', 'aws:kms'] },
          keyId: text('A key of the key service.'),
        },
        required: ['algorithm'],
        additionalProperties: false,
      },
      partBytes: count(5 * 1024 * 1024, defaultPartBytes, 'Bytes per part of an upload.'),
      partsAtOnce: count(1, defaultPartsAtOnce, 'Maximum number of parts of one blob in flight.'),
      maxAttempts: count(1, defaultMaxAttempts, 'Maximum attempts of a request.'),
      requestTimeoutMs: count(1, defaultRequestTimeoutMs, 'Milliseconds after which one attempt is given up.'),
      orphanAgeMs: count(
        1_000,
        defaultOrphanAgeMs,
        'Milliseconds after which an unfinished write of another process that makes no progress is removed.',
      ),
    },
    required: ['bucket'],
    additionalProperties: false,
  },
  create: ({ credentials, ...options }, { clock }) =>
    createS3BlobStore({
      ...options,
      clock,
      ...(credentials === undefined ? {} : { credentials: credentialsFrom(credentials, process.env) }),
    }),
});
export default plugin;
