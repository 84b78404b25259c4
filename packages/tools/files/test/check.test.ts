import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { runTool } from '@ravi/testkit';
import type { RunToolReport } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';
import type { OpenFiles } from './support/open-files.ts';

const patchOf = (path: string): string => `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-text\n+new\n`;
const edit = { oldText: 'text', newText: 'new' };

/** Calls tools one after the other in one run whose approver denies everything, or approves it. */
function callAll(
  files: OpenFiles,
  calls: readonly (readonly [name: string, args: JsonObject])[],
  approves = false,
): Promise<RunToolReport> {
  const all = defineTool({
    name: 'all',
    description: 'Makes the calls.',
    risk: 'safe',
    runAfterResponse: true,
    inputSchema: { type: 'object' },
    async execute(_args, { run }) {
      for (const [name, args] of calls) await run.tool(name, args);
      return 'done';
    },
  });
  return runTool(all, {}, { tools: Object.values(files.tools), cwd: files.root, approves });
}

test.each<readonly [name: string, args: JsonObject, code: string]>([
  ['edit', { path: 'missing.txt', ...edit }, 'E_FILE_NOT_FOUND'],
  ['edit', { path: 'unread.txt', ...edit }, 'E_FILE_UNREAD'],
  ['edit', { path: 'folder', ...edit }, 'E_FILE_KIND'],
  ['edit', { path: '../outside/secret.txt', ...edit }, 'E_PATH_OUTSIDE'],
  ['multi_edit', { path: 'unread.txt', edits: [edit] }, 'E_FILE_UNREAD'],
  ['write', { path: 'unread.txt', content: 'new' }, 'E_FILE_UNREAD'],
  ['write', { path: '../outside/secret.txt', content: 'new' }, 'E_PATH_OUTSIDE'],
  ['write', { path: '.git/config', content: 'new' }, 'E_FILE_PROTECTED'],
  ['append', { path: 'unread.txt', content: 'new' }, 'E_FILE_UNREAD'],
  ['json_write', { path: 'missing.json', pointer: '/a', value: 1 }, 'E_FILE_NOT_FOUND'],
  ['json_write', { path: 'new.json', pointer: '', value: 1, remove: true }, 'E_ARGUMENTS_INVALID'],
  ['json_write', { path: 'new.json', pointer: 'a', value: 1 }, 'E_ARGUMENTS_INVALID'],
  ['delete', { path: 'missing.txt' }, 'E_FILE_NOT_FOUND'],
  ['delete', { path: 'folder' }, 'E_FILE_KIND'],
  ['diff_apply', { patch: 'no patch' }, 'E_FILE_PATCH'],
  ['diff_apply', { patch: patchOf('missing.txt') }, 'E_FILE_NOT_FOUND'],
  ['diff_apply', { patch: patchOf('unread.txt') }, 'E_FILE_UNREAD'],
])('people are not asked about %s with %j', async (name, args, code) => {
  using files = await openFiles();
  files.put('unread.txt', 'text\n');
  mkdirSync(join(files.root, 'folder'));
  mkdirSync(join(files.root, '.git'));
  const { calls, approvals } = await callAll(files, [[name, args]]);
  expect(calls.map((call) => [call.tool, call.errorCode])).toEqual([[name, code]]);
  expect(approvals).toEqual([]);
});

const possible: readonly (readonly [name: string, args: JsonObject])[] = [
  ['edit', { path: 'a.txt', ...edit }],
  ['multi_edit', { path: 'a.txt', edits: [edit] }],
  ['write', { path: 'a.txt', content: 'new' }],
  ['write', { path: 'new/folder/b.txt', content: 'new' }],
  ['append', { path: 'new/folder/c.txt', content: 'new' }],
  ['json_write', { path: 'new/d.json', pointer: '', value: 1 }],
  ['delete', { path: 'folder', recursive: true }],
  ['diff_apply', { patch: patchOf('a.txt') }],
  // Another call of the same response may bring the text.
  ['edit', { path: 'a.txt', oldText: 'text of a call before', newText: 'new' }],
];

test.each(possible)('people are asked about %s with %j, and until then nothing changes', async (name, args) => {
  using files = await openFiles();
  files.put('a.txt', 'text\n');
  mkdirSync(join(files.root, 'folder'));
  const { calls, approvals } = await callAll(files, [
    ['read', { path: 'a.txt' }],
    [name, args],
  ]);
  expect(calls.map(({ tool, errorCode }) => [tool, errorCode])).toEqual([
    ['read', undefined],
    [name, 'E_APPROVAL_DENIED'],
  ]);
  expect(approvals.map(({ tool }) => tool)).toEqual([name]);
  expect(files.names()).toEqual(['a.txt', 'folder']);
  expect(files.text('a.txt')).toBe('text\n');
});

test('a file that changed while people decided is found by the call itself', async () => {
  using files = await openFiles();
  files.put('a.txt', 'text\n');
  const edits = files.tools['edit']!;
  // The file changes after the check and before the call.
  const late: Tool = {
    ...edits,
    async checkCall(...given) {
      await edits.checkCall?.(...given);
      files.put('a.txt', 'another text\n');
    },
  };
  const { calls, approvals } = await callAll(
    { ...files, tools: { ...files.tools, edit: late } },
    [
      ['read', { path: 'a.txt' }],
      ['edit', { path: 'a.txt', ...edit }],
    ],
    true,
  );
  expect([approvals.length, calls.at(-1)?.errorCode]).toEqual([1, 'E_FILE_CHANGED']);
  expect(files.text('a.txt')).toBe('another text\n');
});
