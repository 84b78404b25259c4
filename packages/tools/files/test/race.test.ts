import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { createSeededRandom } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { openFiles } from './support/open-files.ts';

/** Operations of a run. `RAVI_FILE_RACES=100000` makes the long variant. */
const operations = Number(process.env['RAVI_FILE_RACES'] ?? 2_000);
const paths = ['folder/secret.txt', 'file', 'folder/new.txt', 'folder/sub/new.txt', 'folder/../file'];

const calls: readonly ((path: string) => readonly [tool: string, args: JsonObject])[] = [
  (path) => ['read', { path }],
  (path) => ['read', { path }],
  (path) => ['json_read', { path }],
  (path) => ['write', { path, content: 'mine' }],
  (path) => ['append', { path, content: ', mine' }],
  (path) => ['edit', { path, oldText: 'mine', newText: 'mine, mine' }],
  (path) => ['edit', { path, oldText: 'secret', newText: 'changed' }],
  (path) => ['json_write', { path, pointer: '', value: 'mine' }],
  (path) => ['diff_create', { path, text: 'mine' }],
  (path) => ['diff_apply', { patch: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,1 @@\n+mine\n` }],
  (path) => ['delete', { path }],
  () => ['delete', { path: 'folder', recursive: true }],
  () => ['undo', {}],
];

// Without handles of folders, which only Linux has, a swap between check and call can lead outside.
test.runIf(process.platform === 'linux')(
  'while another process swaps files and folders for links, no call reads, changes, creates or removes anything outside',
  { timeout: 900_000 },
  async () => {
    using files = await openFiles({ requireRead: false });
    files.put('folder/secret.txt', 'mine');
    files.put('file', 'mine');
    mkdirSync(join(files.outside, 'sub'));
    const swapper = fork(join(import.meta.dirname, 'support/swap-links.ts'), [files.root, files.outside]);
    await once(swapper, 'message');
    const random = createSeededRandom(20);
    const seen = new Map<string, number>();
    const call = async (): Promise<void> => {
      const [tool, args] = random.pick(calls)(random.pick(paths));
      let outcome = 'done';
      try {
        const result = await files.run(tool, args);
        expect(JSON.stringify(result)).not.toContain('secret"');
        expect(JSON.stringify(result.content)).not.toMatch(/\tsecret|-secret/u);
      } catch (error) {
        if (!isKernelError(error)) throw error;
        outcome = error.code;
        // The message of an edit quotes the file.
        expect(error.message).not.toContain('line 1: "secret');
      }
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    };
    try {
      // Both outcomes must have been met, so that the race took place.
      for (let count = 0; count < operations || !seen.has('done') || !seen.has('E_PATH_OUTSIDE'); count += 4) {
        await Promise.all([call(), call(), call(), call()]);
        await setImmediate();
      }
    } finally {
      swapper.kill('SIGKILL');
      await once(swapper, 'exit');
    }
    expect(
      readdirSync(files.outside, { recursive: true, encoding: 'utf8' }).toSorted((left, right) =>
        left < right ? -1 : 1,
      ),
    ).toEqual(['secret.txt', 'sub']);
    expect(readFileSync(join(files.outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect(seen.get('E_TOOL_FAILED')).toBe(undefined);
  },
);
