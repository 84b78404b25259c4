import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';

test('creates a file with the folders above it, and leaves no other file', async () => {
  using files = await openFiles();
  expect(await files.call('write', { path: 'a/b/c.txt', content: 'hello' })).toEqual({
    path: 'a/b/c.txt',
    created: true,
    changed: true,
    bytes: 5,
    undo: true,
  });
  expect(files.names()).toEqual(['a', 'a/b', 'a/b/c.txt']);
  expect(files.text('a/b/c.txt')).toBe('hello');
});

test('changes a file only after this run has read it, and only while it is the same', async () => {
  using files = await openFiles();
  files.put('a.txt', 'old');
  const write = { path: 'a.txt', content: 'new' };
  expect((await files.failure('write', write)).code).toBe('E_FILE_UNREAD');
  expect((await files.failure('append', write)).code).toBe('E_FILE_UNREAD');
  expect((await files.failure('edit', { path: 'a.txt', oldText: 'old', newText: 'new' })).code).toBe('E_FILE_UNREAD');
  await files.call('read', { path: 'a.txt' });
  files.put('a.txt', 'other');
  expect((await files.failure('write', write)).code).toBe('E_FILE_CHANGED');
  expect(files.text('a.txt')).toBe('other');
  await files.call('read', { path: 'a.txt' });
  await files.call('write', write);
  // A change of the run itself is known to it.
  await files.call('append', { path: 'a.txt', content: '!' });
  expect(files.text('a.txt')).toBe('new!');
  files.nextRun();
  expect((await files.failure('write', write)).code).toBe('E_FILE_UNREAD');
});

test('accepts a file that was touched but has the same content', async () => {
  using files = await openFiles();
  files.put('a.txt', 'old');
  await files.call('read', { path: 'a.txt', startLine: 1, endLine: 1 });
  utimesSync(join(files.root, 'a.txt'), 1, 1);
  await files.call('write', { path: 'a.txt', content: 'new' });
  expect(files.text('a.txt')).toBe('new');
});

test('changes any file without a read if the configuration says so', async () => {
  using files = await openFiles({ requireRead: false });
  files.put('a.txt', 'old');
  await files.call('edit', { path: 'a.txt', oldText: 'old', newText: 'new' });
  expect(files.text('a.txt')).toBe('new');
});

test('a write of the content that is there changes nothing, so that it can be made again', async () => {
  using files = await openFiles();
  files.put('a.txt', 'same');
  const before = lstatSync(join(files.root, 'a.txt'));
  expect(await files.call('write', { path: 'a.txt', content: 'same' })).toMatchObject({ changed: false });
  expect(lstatSync(join(files.root, 'a.txt')).ino).toBe(before.ino);
});

test('keeps the permissions of a file, and follows links inside', async () => {
  using files = await openFiles();
  files.put('run.sh', '#!/bin/sh\n');
  chmodSync(join(files.root, 'run.sh'), 0o754);
  symlinkSync('run.sh', join(files.root, 'link'));
  await files.call('read', { path: 'run.sh' });
  await files.call('append', { path: 'link', content: 'echo hi\n' });
  expect(statSync(join(files.root, 'run.sh')).mode & 0o7777).toBe(0o754);
  expect(lstatSync(join(files.root, 'link')).isSymbolicLink()).toBe(true);
  expect(files.text('run.sh')).toBe('#!/bin/sh\necho hi\n');
});

test('a change does not reach another name of the file outside', async () => {
  using files = await openFiles();
  linkSync(join(files.outside, 'secret.txt'), join(files.root, 'a.txt'));
  await files.call('read', { path: 'a.txt' });
  await files.call('write', { path: 'a.txt', content: 'mine' });
  expect(readFileSync(join(files.outside, 'secret.txt'), 'utf8')).toBe('secret');
});

test('creates the file that a link inside names, and none that a link outside names', async () => {
  using files = await openFiles();
  symlinkSync('later.txt', join(files.root, 'soon'));
  symlinkSync(join(files.outside, 'made.txt'), join(files.root, 'out'));
  await files.call('write', { path: 'soon', content: 'x' });
  expect(files.text('later.txt')).toBe('x');
  expect((await files.failure('write', { path: 'out', content: 'x' })).code).toBe('E_PATH_OUTSIDE');
});

test('a failed write removes the folders that it has created', async () => {
  using files = await openFiles();
  const controller = new AbortController();
  controller.abort(new Error('stopped'));
  await expect(files.run('write', { path: 'a/b.txt', content: 'x' }, { signal: controller.signal })).rejects.toThrow(
    'stopped',
  );
  expect(files.names()).toEqual([]);
});

test('a call that is cancelled before it begins changes nothing and leaves no file', async () => {
  using files = await openFiles();
  files.put('a.txt', 'old');
  await files.call('read', { path: 'a.txt' });
  const begin = (): Promise<void> => Promise.reject(new Error('cancelled'));
  await expect(files.run('write', { path: 'a.txt', content: 'new' }, { begin })).rejects.toThrow('cancelled');
  expect(files.names()).toEqual(['a.txt']);
  expect(files.text('a.txt')).toBe('old');
});

test('a file that another program changes during the call is not overwritten', async () => {
  using files = await openFiles();
  files.put('a.txt', 'old');
  await files.call('read', { path: 'a.txt' });
  const begin = async (): Promise<void> => writeFileSync(join(files.root, 'a.txt'), 'theirs');
  await expect(files.run('write', { path: 'a.txt', content: 'mine' }, { begin })).rejects.toThrow(/has changed/u);
  const create = async (): Promise<void> => writeFileSync(join(files.root, 'b.txt'), 'theirs');
  await expect(files.run('write', { path: 'b.txt', content: 'mine' }, { begin: create })).rejects.toThrow(
    /has changed/u,
  );
  expect([files.text('a.txt'), files.text('b.txt')]).toEqual(['theirs', 'theirs']);
  expect(files.names()).toEqual(['a.txt', 'b.txt']);
});

test('refuses a content above the limit, half of a character, and places that are not files', async () => {
  using files = await openFiles({ maxFileBytes: 10 });
  mkdirSync(join(files.root, 'folder'));
  files.put('file', 'x');
  const codeOf = async (path: string, content: string): Promise<string> =>
    (await files.failure('write', { path, content })).code;
  expect(await codeOf('a.txt', 'x'.repeat(11))).toBe('E_FILE_TOO_LARGE');
  expect(await codeOf('a.txt', '\ud800')).toBe('E_ARGUMENTS_INVALID');
  expect(await codeOf('folder', 'x')).toBe('E_FILE_KIND');
  expect(await codeOf('.', 'x')).toBe('E_FILE_KIND');
  expect(await codeOf('file/a.txt', 'x')).toBe('E_FILE_KIND');
  expect(files.names()).toEqual(['file', 'folder']);
});

test('forgets the oldest of very many files, which are then to be read again', async () => {
  using files = await openFiles();
  files.put('a.txt', 'old');
  await files.call('read', { path: 'a.txt' });
  // Each bucket of marks gets more than twice what it holds, however the names fall.
  for (let index = 0; index < 3_000; index += 1) {
    files.put(`f/${index}`, String(index));
    await files.call('read', { path: `f/${index}` });
  }
  expect((await files.failure('write', { path: 'a.txt', content: 'new' })).code).toBe('E_FILE_UNREAD');
  await files.call('write', { path: 'f/2999', content: 'new' });
});

test('a file whose digest does not fit into the scratchpad counts as not read', async () => {
  using files = await openFiles();
  files.put('a.txt', 'old');
  const scratchpad = {
    get: () => undefined,
    set: () => {
      throw new Error('full');
    },
    delete: () => {},
    keys: () => [],
  };
  await files.call('read', { path: 'a.txt' }, { scratchpad });
  expect((await files.failure('write', { path: 'a.txt', content: 'new' }, { scratchpad })).code).toBe('E_FILE_UNREAD');
  expect(await files.call('write', { path: 'b.txt', content: 'new' }, { scratchpad })).toMatchObject({ undo: false });
});
