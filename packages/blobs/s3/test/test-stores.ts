import { randomUUID } from 'node:crypto';
import type { StoreOptions } from '@ravi/kernel';
import type { S3TestServer } from '@ravi/testkit';
import type { S3BlobStoreOptions } from '../src/index.ts';
import { connect } from '../src/connection.ts';
import { encryptionParameters } from '../src/storage.ts';
import type { S3Storage } from '../src/storage.ts';

/** Store options for tests about something else. */
export const storeOptions: StoreOptions = {
  mediaType: 'application/octet-stream',
  scope: { principal: 'user:ada', sessionId: 'session-1' },
};

/** Options of a store that can be sent to another process. */
export type Place = S3BlobStoreOptions & { readonly prefix: string };

/** Returns the options of an empty store on `server`, under its own prefix. */
export function emptyPlace(server: S3TestServer): Place {
  const { endpoint, bucket, owner } = server;
  const prefix = `${randomUUID()}/`;
  return { endpoint, bucket, region: 'us-east-1', forcePathStyle: true, credentials: owner, prefix };
}

/** Returns direct access to the bucket of a store. */
export function storageOf(options: Place): S3Storage {
  const { bucket, prefix, encryption } = options;
  return { client: connect(options), bucket, prefix, encryption: encryptionParameters(encryption) };
}
