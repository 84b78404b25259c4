import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { LaunchGuest } from '@ravi/sandbox-kit';
import { test } from 'vitest';
import { openSnapshot } from '../src/snapshot.ts';

const own = `ravi-pyodide-${userInfo().uid}`;
let made = 0;

/** A process that writes `text` and ends with an exit code. */
function writer(text: string, code = 0): (descriptor: number) => LaunchGuest {
  return (descriptor) => (events) => {
    made++;
    writeSync(descriptor, text);
    setImmediate(() => events.onClose({ reason: `ended with exit code ${code}`, outOfMemory: false }));
    return { pid: undefined, send() {}, kill() {}, keepAlive() {} };
  };
}

function inFolder(name: string, body: (folder: string) => Promise<void>): void {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ravi-snapshot-'));
    made = 0;
    try {
      await body(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

const textOf = async ({ ready }: { readonly ready: Promise<number> }) => readFileSync(await ready, 'utf8');

inFolder('a snapshot is made once, also for later processes, and again for other contents', async (folder) => {
  for (const [contents, expected] of [
    ['a', 1],
    ['a', 1],
    ['b', 2],
    ['b', 2],
  ] as const) {
    const text = await textOf(openSnapshot({ contents, launcher: writer(contents), folder }));
    assert.deepEqual([text, made], [contents, expected]);
  }
  assert.equal(readdirSync(join(folder, own)).length, 1);
});

inFolder('what a process wrote before it broke is not used', async (folder) => {
  await assert.rejects(openSnapshot({ contents: 'a', launcher: writer('half', 1), folder }).ready, {
    code: 'E_SANDBOX_UNAVAILABLE',
  });
  assert.equal(await textOf(openSnapshot({ contents: 'a', launcher: writer('whole'), folder })), 'whole');
});

test.skipIf(process.platform === 'win32')('a folder that others can write to is not used', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-snapshot-'));
  mkdirSync(join(folder, own));
  chmodSync(join(folder, own), 0o777);
  assert.equal(await textOf(openSnapshot({ contents: 'a', launcher: writer('own'), folder })), 'own');
  assert.deepEqual(readdirSync(join(folder, own)), []);
  rmSync(folder, { recursive: true });
});
