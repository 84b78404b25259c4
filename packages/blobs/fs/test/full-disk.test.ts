import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isKernelError } from '@ravi/kernel';
import { afterAll, test } from 'vitest';
import { createFsBlobStore } from '../src/index.ts';
import { filesUnder, options } from './test-stores.ts';
import { createPlaces } from './places.ts';

const run = promisify(execFile);
const newPlace = await createPlaces();
const megabyte = 1024 * 1024;
const isUnavailable =
  (detail: RegExp) =>
  (error: unknown): boolean =>
    isKernelError(error, 'E_BLOB_UNAVAILABLE') && detail.test(error.message);

/** Registers a test on its own file system of 4 MB, or a skipped test with the reason. */
async function testOnSmallDisk(name: string, body: (root: string) => Promise<void>): Promise<void> {
  const root = newPlace();
  await mkdir(root);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', root]);
  } catch {
    test.skip(`${name} (skipped: this process may not mount a tmpfs)`);
    return;
  }
  afterAll(() => run('umount', [root]));
  test(name, () => body(root));
}

await testOnSmallDisk(
  'a full disk fails the write, keeps nothing of it, and works again after a delete',
  async (root) => {
    const store = createFsBlobStore({ root });
    const kept = await store.store(new Uint8Array(3 * megabyte), { ...options, pinOwner: 'run-1' });
    const files = await filesUnder(root);
    const isFull = isUnavailable(/no space left on device \(ENOSPC\)$/);
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
      cancel: () => void (cancelled = true),
    });
    // The first one exceeds the disk by one page: the system writes most of it and reports no error.
    for (const data of [new Uint8Array(megabyte), new Uint8Array(2 * megabyte), endless]) {
      const storing = store.store(data, { ...options, pinOwner: 'run-1' });
      await assert.rejects(storing, (error) => isFull(error) && isKernelError(error) && error.retryable);
      assert.deepEqual(await filesUnder(root), files);
    }
    assert.ok(cancelled);
    assert.equal((await store.resolve(kept)).byteLength, 3 * megabyte);

    await store.delete(kept);
    await store.store(new Uint8Array(3 * megabyte), options);
  },
);

await testOnSmallDisk('a read-only disk fails every change and can still be read', async (root) => {
  const store = createFsBlobStore({ root });
  const ref = await store.store('content', options);
  await run('mount', ['-o', 'remount,ro', root]);
  const isReadOnly = isUnavailable(/read-only file system \(EROFS\)$/);
  await assert.rejects(store.store('more', options), isReadOnly);
  await assert.rejects(store.pin(ref, 'run-1'), isReadOnly);
  await assert.rejects(store.delete(ref), isReadOnly);
  await assert.rejects(store.sweep(Date.now()), isReadOnly);
  assert.equal((await store.resolve(ref)).byteLength, 7);
});

test('a write over the file size limit fails and leaves nothing', async () => {
  const child = fileURLToPath(new URL('limited-child.ts', import.meta.url));
  const script = 'ulimit -f 2000; exec "$0" "$@"';
  const { stdout } = await run('sh', ['-c', script, process.execPath, child, newPlace()]);
  assert.deepEqual(JSON.parse(stdout), {
    code: 'E_BLOB_UNAVAILABLE',
    message: 'The blob store cannot write a file: file too large (EFBIG)',
    files: 2,
    small: 5,
  });
});

const testAsUser = process.getuid?.() === 0 ? test.skip : test;
testAsUser(
  'a folder without write permission fails the write (skipped for root, which ignores permissions)',
  async () => {
    const root = newPlace();
    await mkdir(root);
    await chmod(root, 0o500);
    const storing = createFsBlobStore({ root }).store('content', options);
    await assert.rejects(storing, isUnavailable(/permission denied \(EACCES\)$/));
  },
);
