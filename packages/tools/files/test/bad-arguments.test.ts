import type { JsonObject, Tool } from '@ravi/kernel';
import { createTestBlobs, runTool } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';

const invalid: Readonly<Record<string, readonly unknown[]>> = {
  read: [
    {},
    { path: 1 },
    { path: '' },
    { path: 'a', startLine: 0 },
    { path: 'a', startLine: 1.5 },
    { path: 'a', line: 1 },
  ],
  write: [
    { path: 'a' },
    { content: 'x' },
    { path: 'a', content: 1 },
    { path: ['a'], content: 'x' },
    { path: 'a', content: null },
  ],
  append: [{ path: 'a' }, { path: 'a', content: '' }, { path: 'a', content: {} }],
  edit: [
    { path: 'a' },
    { path: 'a', oldText: '', newText: 'x' },
    { path: 'a', oldText: 'x' },
    { path: 'a', oldText: 1, newText: 2 },
  ],
  multi_edit: [{ path: 'a' }, { path: 'a', edits: [] }, { path: 'a', edits: [{}] }, { path: 'a', edits: 'x' }],
  delete: [{}, { path: null }, { path: 'a', recursive: 'yes' }, { path: 'a', force: true }],
  json_read: [{}, { path: 'a', pointer: 1 }],
  json_write: [{}, { path: 'a' }, { path: 'a', pointer: 1, value: 1 }, { path: 'a', pointer: '', remove: 1 }],
  diff_create: [{}, { path: 'a', contextLines: -1 }, { path: 'a', contextLines: 101 }, { path: 'a', text: 1 }],
  diff_apply: [{}, { patch: '' }, { patch: 1 }, { patch: 'x', fuzz: 3 }, { patch: 'x', fuzz: '1' }],
  undo: [{ path: 'a' }],
};

test.each(Object.entries(invalid))(
  '%s refuses arguments of other shapes before a person is asked',
  async (name, all) => {
    using files = await openFiles();
    for (const args of all) {
      const { result, approvals } = await runTool(files.tools[name] as Tool, args as JsonObject);
      expect([args, result.error?.code, approvals]).toEqual([args, 'E_ARGUMENTS_INVALID', []]);
    }
    expect(files.names()).toEqual([]);
  },
);

test.each(Object.keys(invalid))('%s refuses arguments above the limit', async (name) => {
  using files = await openFiles();
  const path = 'x'.repeat(5_000);
  const { result } = await runTool(files.tools[name] as Tool, { path, patch: 'x'.repeat(2_097_153), content: path });
  expect(result.error?.code).toBe('E_ARGUMENTS_INVALID');
});

test('a person sees what a call changes, and a denied call changes nothing', async () => {
  using files = await openFiles();
  const denied = await runTool(files.tools['write'] as Tool, { path: 'a.txt', content: 'hello' }, { approves: false });
  expect([denied.result.error?.code, denied.approvals[0]?.summary]).toEqual([
    'E_APPROVAL_DENIED',
    'Write 5 characters to "a.txt"',
  ]);
  files.put('a/b.txt', 'text');
  const removal = await runTool(files.tools['delete'] as Tool, { path: 'a', recursive: true }, { approves: false });
  expect(removal.approvals[0]).toMatchObject({ risk: 'critical', summary: 'Delete "a" and everything in it for good' });
  expect(files.names()).toEqual(['a', 'a/b.txt']);
});

test('a call that is cancelled or out of time while it waits for a file ends, and never changes it', async () => {
  using files = await openFiles();
  const write = files.tools['write'] as Tool;
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const begin = (): Promise<void> => {
    begun.resolve();
    return held.promise;
  };
  const first = files.run('write', { path: 'a.txt', content: 'first' }, { begin });
  await begun.promise;
  const late = await runTool(write, { path: 'a.txt', content: 'late' }, { policy: { callTimeoutMs: 20 } });
  expect(late.result.error?.code).toBe('E_CALL_TIMEOUT');
  const controller = new AbortController();
  const cancelled = runTool(write, { path: 'a.txt', content: 'cancelled' }, { signal: controller.signal });
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'E_CANCELLED' });
  held.resolve();
  await first;
  await files.call('append', { path: 'a.txt', content: '!' });
  expect(files.text('a.txt')).toBe('first!');
});

test('a large result is an artifact with a preview, and the read counts as one of the whole file', async () => {
  using files = await openFiles();
  files.put('a.txt', 'line\n'.repeat(5_000));
  const { result, artifacts } = await runTool(
    files.tools['read'] as Tool,
    { path: 'a.txt' },
    { artifactStore: createTestBlobs() },
  );
  expect(result).toMatchObject({ status: 'ok', artifactRef: expect.stringMatching(/^blob_/u) });
  expect(result.preview).toContain('"path":"a.txt"');
  expect(artifacts.length).toBeGreaterThan(0);
});
