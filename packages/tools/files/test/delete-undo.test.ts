import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { Scratchpad } from '@ravi/kernel';
import { createToolContext } from '@ravi/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { revertSplice, spliceBetween } from '../src/change/splice.ts';
import { openFiles } from './support/open-files.ts';

test('undo takes back one change after the other, in any tool', async () => {
  using files = await openFiles();
  await files.call('write', { path: 'a.txt', content: 'one two' });
  await files.call('edit', { path: 'a.txt', oldText: 'two', newText: '2' });
  await files.call('append', { path: 'a.txt', content: ' three' });
  await files.call('write', { path: 'a.txt', content: 'x'.repeat(5_000) });
  await files.call('delete', { path: 'a.txt' });
  const texts: string[] = [];
  for (const tool of ['delete', 'write', 'append', 'edit']) {
    expect(await files.call('undo', {})).toEqual({ tool, paths: ['a.txt'] });
    texts.push(files.text('a.txt').slice(0, 20));
  }
  expect(texts).toEqual(['x'.repeat(20), 'one 2 three', 'one 2', 'one two']);
  await files.call('undo', {});
  expect(files.names()).toEqual([]);
  expect((await files.failure('undo', {})).code).toBe('E_FILE_NO_UNDO');
});

test('undo brings back content, permissions and folder of a deleted file', async () => {
  using files = await openFiles();
  files.put('a/b.bin', Buffer.from([0, 1, 2, 255]));
  chmodSync(join(files.root, 'a/b.bin'), 0o751);
  await files.call('delete', { path: 'a/b.bin' });
  rmSync(join(files.root, 'a'), { recursive: true });
  await files.call('undo', {});
  expect([...readFileSync(join(files.root, 'a/b.bin'))]).toEqual([0, 1, 2, 255]);
  expect(statSync(join(files.root, 'a/b.bin')).mode & 0o7777).toBe(0o751);
});

test('undo refuses when the file has changed since, and can be repeated', async () => {
  using files = await openFiles();
  await files.call('write', { path: 'a.txt', content: 'mine' });
  files.put('a.txt', 'theirs');
  expect((await files.failure('undo', {})).code).toBe('E_FILE_CHANGED');
  expect(files.text('a.txt')).toBe('theirs');
  files.put('a.txt', 'mine');
  await files.call('undo', {});
  expect(files.names()).toEqual([]);
});

test('undo is of its own run, and keeps 10 changes', async () => {
  using files = await openFiles();
  for (let index = 0; index < 12; index += 1) await files.call('write', { path: 'a.txt', content: String(index) });
  for (let index = 0; index < 10; index += 1) await files.call('undo', {});
  expect(files.text('a.txt')).toBe('1');
  expect((await files.failure('undo', {})).code).toBe('E_FILE_NO_UNDO');
  await files.call('write', { path: 'a.txt', content: 'last' });
  files.nextRun();
  expect((await files.failure('undo', {})).code).toBe('E_FILE_NO_UNDO');
});

test('two undo calls at once take back two changes', async () => {
  using files = await openFiles();
  await files.call('write', { path: 'a.txt', content: '1' });
  await files.call('write', { path: 'b.txt', content: '2' });
  await Promise.all([files.call('undo', {}), files.call('undo', {})]);
  expect(files.names()).toEqual([]);
});

test('undo waits for a change of the same file that began before it, and takes that one back', async () => {
  using files = await openFiles();
  await files.call('write', { path: 'a.txt', content: '1' });
  const appended = files.call('append', { path: 'a.txt', content: '2' });
  await files.call('undo', {});
  await appended;
  expect(files.text('a.txt')).toBe('1');
  await files.call('undo', {});
  expect(files.names()).toEqual([]);
});

test('a deletion that cannot be put on record does not happen', async () => {
  using files = await openFiles();
  files.put('a.txt', 'a');
  const scratchpad: Scratchpad = {
    ...createToolContext().scratchpad,
    set() {
      throw new KernelError('E_BUDGET_EXHAUSTED', 'The scratchpad is full');
    },
  };
  expect((await files.failure('delete', { path: 'a.txt' }, { scratchpad })).code).toBe('E_FILE_NO_UNDO');
  expect(files.text('a.txt')).toBe('a');
});

test('the splice between two contents leads from the second back to the first', () => {
  const bytes = fc.array(fc.constantFrom(0, 1), { maxLength: 30 });
  fc.assert(
    fc.property(bytes, bytes, (left, right) => {
      const [before, after] = [Uint8Array.from(left), Uint8Array.from(right)];
      const splice = spliceBetween(before, after);
      expect([...revertSplice(after, splice)]).toEqual(left);
      // Nothing that is equal at either end is part of it.
      expect(splice.removed[0] === after[splice.start] && splice.removed.length > 0 && splice.inserted > 0).toBe(false);
    }),
    { numRuns: 500 },
  );
  const before = Buffer.alloc(300_000, 'a');
  const after = Buffer.concat([before.subarray(0, 150_001), Buffer.from('b'), before.subarray(150_002)]);
  expect(spliceBetween(before, after)).toMatchObject({ start: 150_001, inserted: 1 });
});

test('a file whose content cannot be kept is deleted only for good', async () => {
  using files = await openFiles({ maxFileBytes: 5_000 });
  files.put('large.txt', 'x'.repeat(5_001));
  files.put('some.txt', 'x'.repeat(4_000));
  const full = { storeArtifact: () => Promise.reject(new Error('the store is full')) };
  expect((await files.failure('delete', { path: 'large.txt' })).message).toContain('Set permanent');
  expect((await files.failure('delete', { path: 'some.txt' }, full)).code).toBe('E_FILE_NO_UNDO');
  expect(files.names()).toEqual(['large.txt', 'some.txt']);
  await files.call('delete', { path: 'large.txt', permanent: true });
  expect(files.names()).toEqual(['some.txt']);
});

test('deletes a link itself, and a folder only with recursive', async () => {
  using files = await openFiles();
  files.put('keep/a.txt', 'a');
  files.put('dir/deep/b.txt', 'b');
  symlinkSync('../keep', join(files.root, 'dir/link'));
  symlinkSync(files.outside, join(files.root, 'dir/out'));
  symlinkSync('keep', join(files.root, 'alias'));
  expect((await files.failure('delete', { path: 'dir' })).message).toContain('Set recursive');
  expect((await files.failure('delete', { path: 'alias' })).message).toContain('Set permanent');
  await files.call('delete', { path: 'alias', permanent: true });
  expect(await files.call('delete', { path: 'dir', recursive: true })).toEqual({ path: 'dir', entries: 5 });
  expect(files.names()).toEqual(['keep', 'keep/a.txt']);
  expect(existsSync(join(files.outside, 'secret.txt'))).toBe(true);
  expect((await files.failure('delete', { path: 'dir' })).code).toBe('E_FILE_NOT_FOUND');
  expect((await files.failure('delete', { path: '.', recursive: true })).code).toBe('E_FILE_KIND');
});

test('a folder that is swapped for a link while it is deleted keeps what the link leads to', async () => {
  using files = await openFiles();
  files.put('dir/deep/b.txt', 'b');
  files.put('other/b.txt', 'keep');
  const begin = async (): Promise<void> => {
    rmSync(join(files.root, 'dir/deep'), { recursive: true });
    symlinkSync('../other', join(files.root, 'dir/deep'));
  };
  await expect(files.run('delete', { path: 'dir', recursive: true }, { begin })).rejects.toThrow(/has changed/u);
  expect(files.text('other/b.txt')).toBe('keep');
});

test('says that deleting for good is critical', async () => {
  using files = await openFiles();
  const risk = (args: object): unknown => files.tools['delete']?.classifyRisk?.({ path: 'a', ...args });
  expect(risk({})).toEqual({ risk: 'high', summary: 'Delete "a"' });
  expect(risk({ recursive: true })).toEqual({ risk: 'critical', summary: 'Delete "a" and everything in it for good' });
  expect(risk({ permanent: true })).toEqual({ risk: 'critical', summary: 'Delete "a" for good' });
  mkdirSync(join(files.root, 'a'));
});
