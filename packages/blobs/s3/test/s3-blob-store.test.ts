import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { isKernelError } from '@ravi/kernel';
import { createFakeClock, noS3TestServer, s3TestServer } from '@ravi/testkit';
import type { S3TestServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createS3BlobStore } from '../src/index.ts';
import { addressOf } from '../src/storage.ts';
import type { ObjectKind } from '../src/storage.ts';
import { allIn, lookInto } from './bucket-contents.ts';
import { emptyPlace, storeOptions } from './test-stores.ts';

const megabyte = 1024 * 1024;
const hourMs = 3_600_000;
const isNotFound = (error: unknown): boolean => isKernelError(error, 'E_BLOB_NOT_FOUND');

function runAgainst(server: S3TestServer): void {
  test('a presigned URL serves the bytes as a download, and only with its signature', async () => {
    await using store = await createS3BlobStore(emptyPlace(server));
    const ref = await store.store('<script>', { ...storeOptions, mediaType: 'text/html' });
    const { url, bytes, sha256 } = await store.presignRead(ref, { expiresInMs: 60_000 });
    assert.equal(bytes, 8);
    assert.equal(sha256, (await store.stat(ref))?.sha256);
    const response = await fetch(url);
    assert.equal(await response.text(), '<script>');
    assert.equal(response.headers.get('content-type'), 'text/html');
    assert.equal(response.headers.get('content-disposition'), 'attachment');
    assert.equal(new URL(url).searchParams.get('X-Amz-Expires'), '60');
    const unsigned = new URL(url);
    unsigned.search = '';
    assert.equal((await fetch(unsigned)).status, 403);
    await store.delete(ref);
    assert.equal((await fetch(url)).status, 404);
    await assert.rejects(store.presignRead(ref, { expiresInMs: 60_000 }), isNotFound);
  });

  test('a presigned URL ends with its blob, and a lifetime out of range is a TypeError', async () => {
    await using store = await createS3BlobStore(emptyPlace(server));
    const ref = await store.store('content', { ...storeOptions, ttlMs: 10_000 });
    const url = new URL((await store.presignRead(ref, { expiresInMs: hourMs })).url);
    assert.ok(Number(url.searchParams.get('X-Amz-Expires')) <= 10);
    for (const expiresInMs of [0, -1, Number.NaN, 8 * 24 * hourMs]) {
      await assert.rejects(store.presignRead(ref, { expiresInMs }), TypeError);
    }
  });

  test('objects, records included, are encrypted with the requested key', async () => {
    const place = {
      ...emptyPlace(server),
      partBytes: 5 * megabyte,
      encryption: { algorithm: 'aws:kms', keyId: server.kmsKeyId },
    } as const;
    await using store = await createS3BlobStore(place);
    for (const bytes of [10, 6 * megabyte]) {
      const content = new Uint8Array(bytes).fill(7);
      const ref = await store.store(content, { ...storeOptions, pinOwner: 'run-1' });
      await store.pin(ref, 'run-2');
      assert.ok(Buffer.from(content).equals(await store.resolve(ref)));
      for (const kind of ['records', 'content'] as const satisfies ObjectKind[]) {
        const head = await lookInto(place, (storage) =>
          storage.client.send(new HeadObjectCommand(addressOf(storage, kind, ref))),
        );
        assert.equal(head.ServerSideEncryption, 'aws:kms');
        assert.equal(head.SSEKMSKeyId, server.kmsKeyId);
      }
    }
  });

  test('concurrent pins of many owners from two stores are all kept', async () => {
    const place = emptyPlace(server);
    await using first = await createS3BlobStore(place);
    await using second = await createS3BlobStore(place);
    const ref = await first.store('content', storeOptions);
    const owners = Array.from({ length: 16 }, (_, index) => `run-${index}`);
    await Promise.all(owners.map((owner, index) => (index % 2 === 0 ? first : second).pin(ref, owner)));
    assert.equal((await first.stat(ref))?.pins, owners.length);
    await Promise.all(owners.map((owner, index) => (index % 2 === 0 ? second : first).unpin(ref, owner)));
    assert.equal((await first.stat(ref))?.pins, 0);
  });

  test('two concurrent sweeps count each blob once', async () => {
    const place = emptyPlace(server);
    await using first = await createS3BlobStore(place);
    await using second = await createS3BlobStore(place);
    await Promise.all(Array.from({ length: 40 }, () => first.store('content', storeOptions)));
    const reports = await Promise.all([first.sweep(Date.now()), second.sweep(Date.now())]);
    assert.equal(reports[0].removed + reports[1].removed, 40);
    assert.deepEqual(await lookInto(place, allIn), []);
  });

  test('the sweep of another process ends a writer whose source is silent for too long, and the writer fails', async () => {
    const clock = createFakeClock();
    const place = { ...emptyPlace(server), partBytes: 5 * megabyte };
    await using writer = await createS3BlobStore({ ...place, clock });
    await using sweeper = await createS3BlobStore({ ...place, clock });
    let pulls = 0;
    const source = new ReadableStream<Uint8Array>({
      async pull(controller) {
        pulls += 1;
        if (pulls === 12) await sweeper.sweep(clock.now() + hourMs);
        if (pulls > 12) return controller.close();
        controller.enqueue(new Uint8Array(megabyte));
      },
    });
    await assert.rejects(
      writer.store(source, storeOptions),
      (error) => isKernelError(error, 'E_BLOB_UNAVAILABLE') && error.retryable,
    );
    await sweeper.sweep(clock.now() + hourMs);
    assert.deepEqual(await lookInto(place, allIn), []);
  });

  test('sweeps of other processes leave a writer alone that makes progress for hours', async () => {
    const clock = createFakeClock();
    const place = { ...emptyPlace(server), partBytes: 5 * megabyte };
    await using writer = await createS3BlobStore({ ...place, clock });
    await using sweeper = await createS3BlobStore({ ...place, clock });
    let pulls = 0;
    const source = new ReadableStream<Uint8Array>({
      async pull(controller) {
        pulls += 1;
        clock.advance(hourMs / 12);
        await sweeper.sweep(clock.now());
        if (pulls > 30) return controller.close();
        controller.enqueue(new Uint8Array(megabyte));
      },
    });
    const ref = await writer.store(source, storeOptions);
    assert.equal((await writer.resolve(ref)).byteLength, 30 * megabyte);
  });

  test('a changed record is corrupt; its blob stays until it is deleted', async () => {
    const place = emptyPlace(server);
    await using store = await createS3BlobStore(place);
    const other = await store.store('other', { ...storeOptions, pinOwner: 'run-1' });
    const otherRecord = await lookInto(place, async (storage) => {
      const { Body } = await storage.client.send(new GetObjectCommand(addressOf(storage, 'records', other)));
      return Body!.transformToString();
    });
    for (const text of ['', '{', 'null', '[]', '{"state":"stored"}', '{"state":"unheard"}', otherRecord]) {
      const ref = await store.store('content', storeOptions);
      await lookInto(place, (storage) =>
        storage.client.send(new PutObjectCommand({ ...addressOf(storage, 'records', ref), Body: Buffer.from(text) })),
      );
      for (const operation of [() => store.stat(ref), () => store.resolve(ref), () => store.pin(ref, 'run-1')]) {
        await assert.rejects(operation(), (error) => isKernelError(error, 'E_BLOB_CORRUPT'), text);
      }
      assert.deepEqual(await store.sweep(Date.now()), { removed: 0, kept: 2, freedBytes: 0 });
      await store.delete(ref);
      assert.equal(await store.stat(ref), undefined);
    }
  });

  test('content replaced by shorter content is corrupt, also for a range', async () => {
    const place = emptyPlace(server);
    await using store = await createS3BlobStore(place);
    const ref = await store.store('0123456789', storeOptions);
    await lookInto(place, (storage) =>
      storage.client.send(new PutObjectCommand({ ...addressOf(storage, 'content', ref), Body: Buffer.from('01234') })),
    );
    for (const range of [{}, { length: 2 }, { offset: 7, length: 2 }]) {
      await assert.rejects(store.open(ref, range), (error) => isKernelError(error, 'E_BLOB_CORRUPT'));
    }
  });

  test('a range is verified against the checksums of the parts that it touches, and reads only these', async () => {
    const partBytes = 5 * megabyte;
    const place = { ...emptyPlace(server), partBytes };
    await using store = await createS3BlobStore(place);
    const content = randomBytes(3 * partBytes + 17);
    const ref = await store.store(content, storeOptions);
    const ranges = [
      { offset: 0, length: 1 },
      { offset: partBytes - 1, length: 2 },
      { offset: partBytes, length: partBytes },
      { offset: 2 * partBytes + 5, length: partBytes },
      { offset: 3 * partBytes + 16, length: 1 },
      { offset: 7, length: 3 * partBytes },
    ];
    const read = async ({ offset, length }: (typeof ranges)[number]): Promise<boolean> => {
      const found = await new Response(await store.open(ref, { offset, length })).bytes();
      return content.subarray(offset, offset + length).equals(found);
    };
    for (const range of ranges) assert.ok(await read(range), JSON.stringify(range));

    const damaged = Buffer.from(content);
    damaged.writeUInt8(damaged.readUInt8(partBytes + 100) ^ 1, partBytes + 100);
    await lookInto(place, (storage) =>
      storage.client.send(new PutObjectCommand({ ...addressOf(storage, 'content', ref), Body: damaged })),
    );
    const isCorrupt = (error: unknown): boolean => isKernelError(error, 'E_BLOB_CORRUPT');
    for (const range of ranges) {
      const touchesDamage = range.offset < 2 * partBytes && range.offset + range.length > partBytes;
      if (touchesDamage) await assert.rejects(read(range), isCorrupt, JSON.stringify(range));
      else assert.ok(await read(range), JSON.stringify(range));
    }
  });

  test('foreign objects under the same prefix are left alone', async () => {
    const place = emptyPlace(server);
    await using store = await createS3BlobStore(place);
    const keys = ['records/README', 'content/../x', `content/blob_${'0'.repeat(31)}`, 'other'];
    const each = (command: (address: { Bucket: string; Key: string }) => Promise<unknown>): Promise<unknown> =>
      Promise.all(keys.map((key) => command({ Bucket: place.bucket, Key: `${place.prefix}${key}` })));
    await lookInto(place, (storage) =>
      each((address) => storage.client.send(new PutObjectCommand({ ...address, Body: Buffer.from('foreign') }))),
    );
    assert.deepEqual(await store.sweep(Date.now() + 24 * hourMs), { removed: 0, kept: 0, freedBytes: 0 });
    await lookInto(place, (storage) => each((address) => storage.client.send(new HeadObjectCommand(address))));
  });
}

const server = s3TestServer();
if (server === undefined) test.skip(`what only the S3 blob store does (${noS3TestServer})`);
else runAgainst(server);
