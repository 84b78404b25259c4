import { randomUUID } from 'node:crypto';
import type { StoreOptions } from '@ravi/kernel';
import type { S3TestServer } from '@ravi/testkit';
import type { S3BlobStoreOptions } from '../src/index.ts';
import { connect } from '../src/connection.ts';
import { encryptionParameters } from '../src/storage.ts';
import type { S3Storage } from '../src/storage.ts';

/** Options of a store that is about something else. */
export const storeOptions: StoreOptions = {
  mediaType: 'application/octet-stream',
  scope: { principal: 'user:ada', sessionId: 'session-1' },
};

/** Options of a store that other processes can be told. */
export type Place = S3BlobStoreOptions & { readonly prefix: string };

/** Options of an empty store at `server`: a prefix of its own. */
export function emptyPlace(server: S3TestServer): Place {
  const { endpoint, bucket, owner } = server;
  const prefix = `${randomUUID()}/`;
  return { endpoint, bucket, region: 'us-east-1', forcePathStyle: true, credentials: owner, prefix };
}

/** The bucket behind a store, for looks behind its back. */
export function storageOf(options: Place): S3Storage {
  const { bucket, prefix, encryption } = options;
  return { client: connect(options), bucket, prefix, encryption: encryptionParameters(encryption) };
}
