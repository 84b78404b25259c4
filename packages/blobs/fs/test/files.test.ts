import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, open, readdir, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isKernelError, silentLogger, systemClock } from '@ravi/kernel';
import { test } from 'vitest';
import plugin, { createFsBlobStore } from '../src/index.ts';
import { contentPath, layoutOf, metadataPath } from '../src/layout.ts';
import { filesUnder, options } from './test-stores.ts';
import { createPlaces } from './places.ts';

const newPlace = await createPlaces();
const isCorrupt = (error: unknown): boolean => isKernelError(error, 'E_BLOB_CORRUPT');
const hourMs = 3_600_000;

test('only the user of the process can access folders and files', async () => {
  const root = newPlace();
  await createFsBlobStore({ root }).store('content', { ...options, pinOwner: 'run-1' });
  for (const path of [root, ...(await readdir(root, { recursive: true })).map((name) => join(root, name))]) {
    const stats = await stat(path);
    assert.equal(stats.mode & 0o777, stats.isDirectory() ? 0o700 : 0o600, path);
  }
});

test('no ref reaches a file outside the root', async () => {
  const parent = newPlace();
  const store = createFsBlobStore({ root: join(parent, 'root') });
  await store.store('content', options);
  const victim = join(parent, 'victim');
  await mkdir(victim);
  await writeFile(contentPath(victim), 'secret');
  await writeFile(metadataPath(victim), '{}');
  for (const ref of [
    '../victim',
    '../../victim',
    '../../../victim',
    'blob_/../../victim',
    victim,
    'blob_\0/../victim',
  ]) {
    await assert.rejects(store.resolve(ref), (error) => isKernelError(error, 'E_BLOB_NOT_FOUND'));
    await assert.rejects(store.pin(ref, 'run-1'), (error) => isKernelError(error, 'E_BLOB_NOT_FOUND'));
    await store.unpin(ref, 'run-1');
    await store.delete(ref);
  }
  assert.deepEqual((await readdir(parent)).toSorted(), ['root', 'victim']);
  assert.equal((await filesUnder(victim)).length, 2);
});

test('a write that fails or is cancelled leaves no file', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root });
  const abort = new AbortController();
  let pulls = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls += 1;
      controller.enqueue(new Uint8Array(1024 * 1024));
      if (pulls === 12) abort.abort();
    },
  });
  const storing = store.store(source, { ...options, pinOwner: 'run-1', signal: abort.signal });
  await assert.rejects(storing, (error) => isKernelError(error, 'E_CANCELLED'));
  assert.deepEqual(await filesUnder(root), []);
  assert.deepEqual(await readdir(layoutOf(root).incoming), []);
});

test('the next write creates a removed root again', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root });
  const lost = await store.store('lost', options);
  await rm(root, { recursive: true });
  assert.equal(await store.stat(lost), undefined);
  assert.deepEqual(await store.sweep(Date.now()), { removed: 0, kept: 0, freedBytes: 0 });
  const ref = await store.store('content', options);
  assert.equal((await store.resolve(ref)).byteLength, 7);
});

test('a root that is a file makes every operation unavailable, without its path in the message', async () => {
  const root = newPlace();
  await writeFile(root, 'a file');
  const store = createFsBlobStore({ root });
  const ref = `blob_${'0'.repeat(32)}`;
  let cancelled = false;
  const source = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  const operations = [
    () => store.store('content', options),
    () => store.store(source, options),
    () => store.resolve(ref),
    () => store.open(ref),
    () => store.stat(ref),
    () => store.pin(ref, 'run-1'),
    () => store.unpin(ref, 'run-1'),
    () => store.delete(ref),
    () => store.sweep(Date.now()),
  ];
  for (const operation of operations) {
    const error: unknown = await operation().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(isKernelError(error, 'E_BLOB_UNAVAILABLE'), operation.toString());
    assert.match(error.message, /^The blob store cannot .+: .+ \(E[A-Z]+\)$/);
    assert.ok(!error.message.includes(basename(root)) && !error.message.includes(dirname(root)));
    assert.ok(error.cause instanceof Error && 'errno' in error.cause);
  }
  assert.ok(cancelled);
});

test('truncated content is corrupt, also for a range', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root });
  const ref = await store.store('0123456789', options);
  await truncate(contentPath(layoutOf(root).folderOf(ref)), 5);
  await assert.rejects(store.resolve(ref), isCorrupt);
  await assert.rejects(store.open(ref, { length: 2 }), isCorrupt);
});

test('a range of damaged content is corrupt, also if the damage comes after a verified range', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root });
  const content = Buffer.alloc(3 * 1024 * 1024, 7);
  const before = await store.store(content, options);
  const after = await store.store(content, options);
  const read = async (ref: string): Promise<string> =>
    new Response(await store.open(ref, { offset: 10, length: 4 })).text();
  const damage = async (ref: string): Promise<void> => {
    const path = contentPath(layoutOf(root).folderOf(ref));
    const { atime, mtime } = await stat(path);
    const file = await open(path, 'r+');
    await file.write('x', 2 * 1024 * 1024);
    await file.close();
    // As a program that hides its change would do.
    await utimes(path, atime, mtime);
  };
  await damage(before);
  await assert.rejects(read(before), isCorrupt);
  assert.equal(await read(after), '\u0007'.repeat(4));
  assert.equal(await read(after), '\u0007'.repeat(4));
  await damage(after);
  await assert.rejects(read(after), isCorrupt);
});

test('a range that is read while its blob is deleted continues, and one whose content changes fails', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root });
  const content = new Uint8Array(3 * 1024 * 1024).fill(7);
  const deleted = await store.store(content, options);
  const stream = await store.open(deleted, { offset: 1 });
  await store.delete(deleted);
  assert.equal((await new Response(stream).bytes()).byteLength, content.byteLength - 1);

  const changed = await store.store(content, options);
  const reader = (await store.open(changed, { offset: 1 })).getReader();
  await reader.read();
  const file = await open(contentPath(layoutOf(root).folderOf(changed)), 'r+');
  await file.write('x', content.byteLength - 1);
  await file.close();
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, isCorrupt);
});

test('a link or a pipe in place of content, metadata or a folder is corrupt and not followed', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root });
  const layout = layoutOf(root);
  const outside = newPlace();
  await writeFile(outside, 'content');
  for (const replace of ['content', 'metadata', 'folder', 'shard', 'pipe'] as const) {
    const ref = await store.store('content', options);
    const folder = layout.folderOf(ref);
    const path = { content: contentPath(folder), metadata: metadataPath(folder), folder, shard: layout.shardOf(ref) };
    if (replace === 'pipe') {
      await rm(path.content);
      execFileSync('mkfifo', [path.content]);
    } else {
      const moved = `${outside}-${replace}`;
      await rename(path[replace], moved);
      await symlink(moved, path[replace]);
    }
    await assert.rejects(store.resolve(ref), isCorrupt, replace);
    await assert.rejects(store.open(ref, { length: 2 }), isCorrupt, replace);
  }
});

test('changed metadata is corrupt, and such a blob can still be swept or deleted', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root });
  const other = await store.store('other', { ...options, pinOwner: 'run-1' });
  for (const text of ['', '{', 'null', '{}', '[]', `{"ref":"${other}"}`]) {
    const ref = await store.store('content', { ...options, pinOwner: 'run-1' });
    await writeFile(metadataPath(layoutOf(root).folderOf(ref)), text);
    await assert.rejects(store.resolve(ref), isCorrupt);
    await assert.rejects(store.stat(ref), isCorrupt);
    assert.equal((await store.sweep(Date.now())).kept, 2);
    await store.unpin(ref, 'run-1');
    assert.deepEqual(await store.sweep(Date.now()), { removed: 1, kept: 1, freedBytes: 7 });
  }
});

test('sweep removes the remains of a crash and leaves recent writes and foreign files alone', async () => {
  const root = newPlace();
  const store = createFsBlobStore({ root, orphanAgeMs: hourMs });
  const layout = layoutOf(root);
  const kept = await store.store('kept', { ...options, pinOwner: 'run-1' });
  const crashed = layout.incomingOf(`blob_${'1'.repeat(32)}`);
  const half = `${layout.folderOf(`blob_${'2'.repeat(32)}`)}.gone`;
  for (const folder of [crashed, half]) {
    await mkdir(folder, { recursive: true });
    await writeFile(contentPath(folder), 'half');
  }
  const foreign = join(layout.shardOf(kept), 'README');
  await writeFile(foreign, 'foreign');
  const writtenAt = (await stat(contentPath(crashed))).mtimeMs;

  assert.deepEqual(await store.sweep(writtenAt + hourMs - 1), { removed: 0, kept: 1, freedBytes: 0 });
  assert.deepEqual(await readdir(layout.incoming), [basename(crashed)]);
  await assert.rejects(stat(half), { code: 'ENOENT' });

  await utimes(crashed, 0, 0);
  assert.equal((await store.sweep(writtenAt + hourMs - 1)).freedBytes, 0);
  assert.deepEqual(await store.sweep(writtenAt + hourMs), { removed: 0, kept: 1, freedBytes: 4 });
  assert.deepEqual(await readdir(layout.incoming), []);
  assert.equal((await stat(foreign)).size, 7);
});

test('two concurrent sweeps count each blob once', async () => {
  const root = newPlace();
  const [first, second] = [createFsBlobStore({ root }), createFsBlobStore({ root })];
  await Promise.all(Array.from({ length: 60 }, () => first.store('content', options)));
  const reports = await Promise.all([first.sweep(Date.now()), second.sweep(Date.now())]);
  assert.equal(reports[0].removed + reports[1].removed, 60);
  assert.equal(reports[0].freedBytes + reports[1].freedBytes, 420);
  assert.deepEqual(await filesUnder(root), []);
});

test('an open stream continues after its blob is deleted', async () => {
  const store = createFsBlobStore({ root: newPlace() });
  const content = new Uint8Array(3 * 1024 * 1024).fill(7);
  const ref = await store.store(content, options);
  const stream = await store.open(ref);
  await store.delete(ref);
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.byteLength;
  assert.equal(bytes, content.byteLength);
});

test('a relative root of the plugin is relative to the folder of the configuration', async () => {
  const baseDir = newPlace();
  const context = { baseDir, clock: systemClock, logger: silentLogger };
  const store = await plugin.create({ root: './data/blobs', orphanAgeMs: hourMs }, context);
  await store.store('content', options);
  assert.deepEqual(await readdir(join(baseDir, 'data', 'blobs')), ['blobs', 'incoming']);
});

test('the plugin rejects a root that is a file or below one, and names its path', async () => {
  const parent = newPlace();
  await mkdir(parent);
  const file = join(parent, 'file');
  await writeFile(file, 'not a folder');
  const context = { baseDir: parent, clock: systemClock, logger: silentLogger };
  for (const root of ['file', 'file/below']) {
    await assert.rejects(
      async () => plugin.create({ root, orphanAgeMs: hourMs }, context),
      (error) => isKernelError(error, 'E_CONFIG_INVALID') && error.message.includes(join(parent, root)),
    );
  }
  await plugin.create({ root: 'missing', orphanAgeMs: hourMs }, context);
  // Without the plugin a store reports it at its first use, reads included.
  const store = createFsBlobStore({ root: file });
  const ref = await createFsBlobStore({ root: join(parent, 'other') }).store('content', options);
  await assert.rejects(store.stat(ref), (error) => isKernelError(error, 'E_BLOB_UNAVAILABLE'));
  await assert.rejects(store.store('content', options), (error) => isKernelError(error, 'E_BLOB_UNAVAILABLE'));
});
