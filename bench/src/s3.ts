import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createS3BlobStore } from '@ravi/blob-s3';
import { noS3TestServer, s3TestServer } from '@ravi/testkit';
import { drain, heapRow, megabyte, pieces, readBack, storeOptions, timed } from './blob-streams.ts';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const group = 's3';
const partBytes = 8 * megabyte;

/**
 * Measures 200 MB through `blob-s3`, which hashes, keeps records and verifies what it reads, compared with the SDK alone
 * with parts of the same size, at the same server.
 */
export const benchS3: BenchGroup = async ({ rounds }) => {
  const server = s3TestServer();
  if (server === undefined) {
    console.error(`${group}: left out, ${noS3TestServer}`);
    return [];
  }
  const { endpoint, bucket, owner } = server;
  const place = { endpoint, region: 'us-east-1', forcePathStyle: true, credentials: owner };
  await using store = await createS3BlobStore({ ...place, bucket, prefix: `bench-${randomUUID()}/`, partBytes });
  const client = new S3Client(place);

  const put = async (): Promise<string> => {
    const Key = randomUUID();
    const Body = Readable.from(pieces(megabyte), { objectMode: false });
    await new Upload({ client, params: { Bucket: bucket, Key, Body }, partSize: partBytes, queueSize: 4 }).done();
    return Key;
  };
  const get = async (Key: string): Promise<void> => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
    await drain(Body as Readable);
  };
  const remove = async (Key: string): Promise<void> => {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  };

  const rows: BenchRow[] = [await heapRow(group, store, '≤ 16 MB')];
  const ref = await store.store(ReadableStream.from(pieces(megabyte)), storeOptions);
  const key = await put();
  const measurements = [
    {
      name: 'store a 200 MB stream of 1 MB pieces',
      ours: timed(
        'ours',
        () => store.store(ReadableStream.from(pieces(megabyte)), storeOptions),
        (written) => store.delete(written),
      ),
      peers: [timed('SDK Upload', put, remove)],
    },
    {
      name: 'read a 200 MB stream to its end',
      ours: timed('ours', () => readBack(store, ref)),
      peers: [timed('SDK GetObject', () => get(key))],
    },
  ];
  try {
    for (const measurement of measurements) {
      rows.push(...(await rowsOf({ group, unit: 'ms', goal: '≤ 1.3×', ...measurement }, rounds)));
    }
    return rows;
  } finally {
    await Promise.all([store.delete(ref), remove(key)]);
    client.destroy();
  }
};
