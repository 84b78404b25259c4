import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import { noS3TestServer, s3TestServer } from '@ravi/testkit';
import { blobStoreContract } from '@ravi/testkit/blob-store';
import { pluginContract } from '@ravi/testkit/plugin';
import type { S3TestServer } from '@ravi/testkit';
import { test } from 'vitest';
import plugin, { createS3BlobStore } from '../src/index.ts';
import { addressOf } from '../src/storage.ts';
import { emptyPlace, storageOf } from './test-stores.ts';
import type { Place } from './test-stores.ts';

const opened = new WeakMap<BlobStore, Place>();

async function openStore(place: Place): Promise<BlobStore> {
  const store = await createS3BlobStore(place);
  opened.set(store, place);
  return store;
}

async function flipOneBit(store: BlobStore, ref: BlobRef): Promise<void> {
  const storage = storageOf(opened.get(store)!);
  const address = addressOf(storage, 'content', ref);
  const { Body } = await storage.client.send(new GetObjectCommand(address));
  const content = await Body!.transformToByteArray();
  content[3]! ^= 0x80;
  await storage.client.send(new PutObjectCommand({ ...address, Body: content }));
  storage.client.destroy();
}

function runAgainst(server: S3TestServer): void {
  // Small parts, so that the streams of the suite need several of them.
  const partBytes = 5 * 1024 * 1024;
  blobStoreContract(test, ({ clock }) => openStore({ ...emptyPlace(server), partBytes, clock }), {
    corrupt: flipOneBit,
    reopen: (store) => openStore(opened.get(store)!),
  });

  process.env['RAVI_S3_TEST_ACCESS_KEY_ID'] = server.owner.accessKeyId;
  process.env['RAVI_S3_TEST_SECRET_ACCESS_KEY'] = server.owner.secretAccessKey;
  const { credentials: _keys, ...place } = emptyPlace(server);
  pluginContract(test, plugin, {
    ...place,
    credentials: {
      accessKeyIdVariable: 'RAVI_S3_TEST_ACCESS_KEY_ID',
      secretAccessKeyVariable: 'RAVI_S3_TEST_SECRET_ACCESS_KEY',
    },
  });
}

const server = s3TestServer();
if (server === undefined) test.skip(`the contract of blob stores (${noS3TestServer})`);
else runAgainst(server);
