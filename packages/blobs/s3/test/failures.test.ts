import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isKernelError } from '@ravi/kernel';
import type { KernelError } from '@ravi/kernel';
import { noS3TestServer, s3TestServer } from '@ravi/testkit';
import type { S3TestServer } from '@ravi/testkit';
import { test } from 'vitest';
import plugin, { createS3BlobStore } from '../src/index.ts';
import { allIn, lookInto } from './bucket-contents.ts';
import { openTcpProxy } from './tcp-proxy.ts';
import { emptyPlace, storeOptions } from './test-stores.ts';
import type { Place } from './test-stores.ts';

const megabyte = 1024 * 1024;
const dayMs = 86_400_000;
const nowhere: Place = {
  endpoint: 'http://127.0.0.1:9',
  bucket: 'tests',
  prefix: '',
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: 'key', secretAccessKey: 'a-secret-that-no-message-shows' },
  maxAttempts: 1,
};

async function failureOf(operation: Promise<unknown>): Promise<KernelError> {
  const error: unknown = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(isKernelError(error), String(error));
  assert.doesNotMatch(error.message, /tests|a-secret|127\.0\.0\.1/);
  return error;
}

async function assertFailure(operation: Promise<unknown>, code: string, message: RegExp): Promise<void> {
  const error = await failureOf(operation);
  assert.equal(error.code, code);
  assert.match(error.message, message);
}

test('an unreachable server makes the store unavailable, retryable', async () => {
  const error = await failureOf(createS3BlobStore(nowhere));
  assert.equal(error.code, 'E_BLOB_UNAVAILABLE');
  assert.match(error.message, /^The blob store cannot write a record: the server cannot be reached \(ECONNREFUSED\)$/);
  assert.ok(error.retryable);
});

test('a server that never responds times out', async () => {
  await using silent = await openTcpProxy();
  const opening = createS3BlobStore({ ...nowhere, endpoint: silent.endpoint, requestTimeoutMs: 100 });
  await assertFailure(opening, 'E_BLOB_UNAVAILABLE', /the server does not respond \(TimeoutError\)$/);
});

test('a server that closes connections is distinguished from a silent one', async () => {
  const server = createServer((request) => request.socket.resetAndDestroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await failureOf(createS3BlobStore({ ...nowhere, endpoint }));
    assert.match(error.message, /^The blob store cannot write a record: the connection was closed \(ECONNRESET\)$/);
    assert.ok(error.retryable);
  } finally {
    server.close();
  }
});

test('a server that ignores conditional writes is rejected when the store opens', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('etag', '"same"').end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const opening = createS3BlobStore({ ...nowhere, endpoint });
    await assertFailure(opening, 'E_CONFIG_INVALID', /ignores the header If-None-Match of PutObject/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the plugin names a credential variable that is not set', async () => {
  const credentials = { accessKeyIdVariable: 'RAVI_S3_UNSET', secretAccessKeyVariable: 'RAVI_S3_UNSET_TOO' };
  const context = { baseDir: '/', clock: { now: () => 0 } } as unknown as Parameters<typeof plugin.create>[1];
  await assert.rejects(
    async () => plugin.create({ bucket: 'tests', credentials }, context),
    (error) => isKernelError(error, 'E_CONFIG_INVALID') && error.message.includes('RAVI_S3_UNSET,'),
  );
});

function runAgainst(server: S3TestServer): void {
  test('a missing bucket is a configuration error', async () => {
    const error: unknown = await createS3BlobStore({ ...emptyPlace(server), bucket: 'missing' }).catch(
      (reason: unknown) => reason,
    );
    assert.ok(isKernelError(error, 'E_CONFIG_INVALID'));
    assert.match(error.message, /^The bucket "missing" does not exist/);
  });

  test('keys without permissions and wrong keys are rejected and not shown', async () => {
    const place = emptyPlace(server);
    const stranger = createS3BlobStore({ ...place, credentials: server.stranger });
    await assertFailure(stranger, 'E_BLOB_UNAVAILABLE', /access denied \(AccessDenied\)$/);
    const { accessKeyId } = server.owner;
    const wrong = createS3BlobStore({ ...place, credentials: { accessKeyId, secretAccessKey: 'a-secret' } });
    const error = await failureOf(wrong);
    assert.match(error.message, /the secret key is wrong/);
    assert.ok(!error.retryable);
  });

  test('a full server rejects a write, which leaves nothing', async () => {
    const { bucket, ...credentials } = server.limited;
    const place = { ...emptyPlace(server), bucket, credentials, partBytes: 5 * megabyte };
    await using store = await createS3BlobStore(place);
    for (const bytes of [2 * megabyte, 11 * megabyte]) {
      const error = await failureOf(store.store(new Uint8Array(bytes), storeOptions));
      assert.match(error.message, /^The blob store cannot store content: no space left \(QuotaExceeded\)$/);
      assert.ok(error.retryable);
    }
    assert.deepEqual(await lookInto(place, allIn), []);
  });

  test('an outage during a write is reported; afterwards the same store works, and a sweep removes the rest', async () => {
    const place = { ...emptyPlace(server), partBytes: 5 * megabyte, maxAttempts: 1 };
    await using proxy = await openTcpProxy(server.endpoint);
    await using store = await createS3BlobStore({ ...place, endpoint: proxy.endpoint });
    const before = await store.store('before', { ...storeOptions, pinOwner: 'run-1' });
    let pulls = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        if (pulls === 20) proxy.cut();
        controller.enqueue(new Uint8Array(megabyte));
      },
    });
    const error = await failureOf(store.store(source, storeOptions));
    assert.equal(error.code, 'E_BLOB_UNAVAILABLE');
    assert.ok(error.retryable);
    await assertFailure(store.pin(before, 'run-2'), 'E_BLOB_UNAVAILABLE', /^The blob store cannot read a record/);

    await proxy.reconnect();
    assert.ok((await lookInto(place, allIn)).length > 2, 'the failed write could not remove what it had sent');
    assert.equal(Buffer.from(await store.resolve(before)).toString(), 'before');
    await store.pin(before, 'run-2');
    const after = await store.store(new Uint8Array(11 * megabyte), { ...storeOptions, pinOwner: 'run-1' });
    const swept = await store.sweep(Date.now() + dayMs);
    assert.deepEqual([swept.removed, swept.kept], [0, 2]);
    const left = [before, after].flatMap((ref) => [`record ${ref}`, `content ${ref}`]);
    assert.deepEqual((await lookInto(place, allIn)).toSorted(), left.toSorted());
    assert.equal((await store.stat(before))?.pins, 2);
  });

  test('a write survives a broken connection if the server is still there', async () => {
    await using proxy = await openTcpProxy(server.endpoint);
    const place = { ...emptyPlace(server), endpoint: proxy.endpoint, partBytes: 5 * megabyte };
    await using store = await createS3BlobStore(place);
    let pulls = 0;
    const source = new ReadableStream<Uint8Array>({
      async pull(controller) {
        pulls += 1;
        if (pulls > 12) return controller.close();
        if (pulls === 7) {
          proxy.cut();
          await proxy.reconnect();
        }
        controller.enqueue(new Uint8Array(megabyte).fill(pulls));
      },
    });
    const ref = await store.store(source, { ...storeOptions, pinOwner: 'run-1' });
    assert.equal((await store.stat(ref))?.bytes, 12 * megabyte);
    assert.equal((await store.resolve(ref)).at(-1), 12);
  });

  test('an outage during a read fails the stream, and reads work again afterwards', async () => {
    const place = emptyPlace(server);
    await using proxy = await openTcpProxy(server.endpoint);
    await using store = await createS3BlobStore({ ...place, endpoint: proxy.endpoint, maxAttempts: 1 });
    const ref = await store.store(new Uint8Array(32 * megabyte), storeOptions);
    const reader = (await store.open(ref)).getReader();
    await reader.read();
    proxy.cut();
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    await assertFailure(rest(), 'E_BLOB_UNAVAILABLE', /^The blob store cannot read a blob: the connection was closed/);
    await proxy.reconnect();
    assert.equal((await store.resolve(ref)).byteLength, 32 * megabyte);
  });
}

const server = s3TestServer();
if (server === undefined) test.skip(`failures of a real server (${noS3TestServer})`);
else runAgainst(server);
