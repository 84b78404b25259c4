import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@ravi/kernel';
import type { JsonObject, ReconcileAnswer, Tool } from '@ravi/kernel';
import { createMemoryLogger, createSeededRandom, createToolContext } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';
import type { OpenFiles } from './support/open-files.ts';

type Call = readonly [tool: string, args: JsonObject];

/** Runs calls in a process that kills itself at a place of the last one. */
async function killed(files: OpenFiles, calls: readonly Call[], dieAt: 'begin' | 'end'): Promise<void> {
  files.put('calls.json', JSON.stringify({ root: files.root, calls, dieAt }));
  const child = fork(join(import.meta.dirname, 'support/killed-call.ts'), [join(files.root, 'calls.json')]);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  rmSync(join(files.root, 'calls.json'));
  expect([code, signal]).toEqual([null, 'SIGKILL']);
}

function reconcile(files: OpenFiles, [tool, args]: Call): Promise<ReconcileAnswer> {
  const { runId, callId, sessionId, principal, signal } = createToolContext();
  const context = { runId, callId, sessionId, principal, signal, log: createMemoryLogger(), clock: systemClock };
  return (files.tools[tool] as Tool & Required<Pick<Tool, 'reconcile'>>).reconcile(args, 'key-0', context);
}

const patch =
  '--- a.json\n+++ a.json\n@@ -1,1 +1,1 @@\n-["a"]\n+["b"]\n--- /dev/null\n+++ made/b.txt\n@@ -0,0 +1,1 @@\n+new\n';

const cases: readonly (readonly [tool: string, args: JsonObject, after: string | undefined])[] = [
  ['write', { path: 'a.json', content: 'new' }, 'new'],
  ['append', { path: 'a.json', content: 'new' }, '["a"]\nnew'],
  ['edit', { path: 'a.json', oldText: 'a', newText: 'b' }, '["b"]\n'],
  ['edit', { path: 'a.json', oldText: '"a"', newText: '' }, '[]\n'],
  ['multi_edit', { path: 'a.json', edits: [{ oldText: 'a', newText: 'b' }] }, '["b"]\n'],
  ['json_write', { path: 'a.json', pointer: '/0', value: { b: 1 } }, undefined],
  ['json_write', { path: 'a.json', pointer: '/-', value: 'c' }, undefined],
  ['json_write', { path: 'a.json', pointer: '/0', remove: true }, undefined],
  ['diff_apply', { patch }, '["b"]\n'],
];

test.each(cases)(
  'an interrupted %s knows that nothing happened before its file was replaced, and can be made again',
  async (tool, args) => {
    using files = await openFiles({ requireRead: false });
    files.put('a.json', '["a"]\n');
    const begun = Promise.withResolvers<void>();
    const begin = (): Promise<void> => {
      begun.resolve();
      // Never ends: for its files, that is a kill at this place.
      return new Promise(() => {});
    };
    void files.run(tool, args, { idempotencyKey: 'key-0', begin });
    await begun.promise;
    // The call holds the lock of its file, so the question is about a copy.
    using copy = await openFiles({ requireRead: false });
    cpSync(files.root, copy.root, { recursive: true });
    expect(copy.text('a.json')).toBe('["a"]\n');
    expect(copy.names().some((name) => name.endsWith('.tmp'))).toBe(true);
    expect(await reconcile(copy, [tool, args])).toEqual({ happened: false });
    await copy.call(tool, args, { idempotencyKey: 'key-0' });
    expect(copy.text('a.json')).not.toBe('["a"]\n');
    expect(copy.names().filter((name) => name.endsWith('.tmp'))).toEqual([]);
  },
);

test.each(cases)('%s knows afterwards that it happened', async (tool, args, after) => {
  using files = await openFiles({ requireRead: false });
  files.put('a.json', '["a"]\n');
  await files.call(tool, args, { idempotencyKey: 'key-0' });
  if (after !== undefined) expect(files.text('a.json')).toBe(after);
  expect(files.names().filter((name) => name.endsWith('.tmp'))).toEqual([]);
  expect(await reconcile(files, [tool, args])).toMatchObject({ happened: true, result: { isError: false } });
  // Another program has changed the file since: now a person has to look.
  files.put('a.json', '["a"]\n');
  if (tool !== 'diff_apply') expect(await reconcile(files, [tool, args])).toBe('unknown');
});

test('delete knows from the file whether it happened', async () => {
  using files = await openFiles();
  files.put('sub/a.txt', 'a');
  expect(await reconcile(files, ['delete', { path: 'sub/a.txt' }])).toEqual({ happened: false });
  await files.call('delete', { path: 'sub/a.txt' });
  expect(await reconcile(files, ['delete', { path: 'sub/a.txt' }])).toMatchObject({ happened: true });
  expect(await reconcile(files, ['delete', { path: '../x' }])).toBe('unknown');
});

test('a patch of which a part was applied when its process ended is left to a person', async () => {
  using files = await openFiles();
  files.put('a.json', '["b"]\n');
  mkdirSync(join(files.root, 'made'));
  expect(await reconcile(files, ['diff_apply', { patch }])).toBe('unknown');
});

test('a process that is killed before or after it replaces a file leaves a state that reconcile knows', async () => {
  using files = await openFiles({ requireRead: false });
  files.put('a.json', '["a"]\n');
  const edit: Call = ['edit', { path: 'a.json', oldText: 'a', newText: 'b' }];
  await killed(files, [edit], 'begin');
  expect(files.text('a.json')).toBe('["a"]\n');
  expect(await reconcile(files, edit)).toEqual({ happened: false });
  await killed(files, [edit], 'end');
  expect(files.names()).toEqual(['a.json']);
  expect(files.text('a.json')).toBe('["b"]\n');
  expect(await reconcile(files, edit)).toMatchObject({ happened: true });
});

test(
  'a process that is killed anywhere leaves the old or the new content, never a part',
  { timeout: 240_000 },
  async () => {
    using files = await openFiles();
    const contents = ['a'.repeat(1_000_000), 'b'.repeat(700_000), 'c'.repeat(1_300_000)];
    const [first = ''] = contents;
    const calls = contents.map((content): Call => ['write', { path: 'a.txt', content }]);
    files.put('calls.json', JSON.stringify({ root: files.root, calls, dieAt: 'anywhere' }));
    files.put('a.txt', first);
    const isWhole = (): boolean => contents.includes(files.text('a.txt'));
    const random = createSeededRandom(5);
    for (let round = 0; round < 3; round += 1) {
      const child = fork(join(import.meta.dirname, 'support/killed-call.ts'), [join(files.root, 'calls.json')]);
      await once(child, 'message');
      for (let turns = random.below(60); turns > 0; turns -= 1) {
        // A reader never sees a part either.
        expect(isWhole()).toBe(true);
        await setImmediate();
      }
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(isWhole()).toBe(true);
    }
    const left = files.names().filter((name) => !['a.txt', 'calls.json'].includes(name));
    // At most the staged file of each of the calls, which its next attempt replaces.
    expect(left.every((name) => /^\.ravi-[\w-]{16}\.tmp$/u.test(name)) && left.length <= 3).toBe(true);
  },
);
