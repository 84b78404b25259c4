import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'vitest';
import { root } from '../lib/workspace.ts';

/** Runs the kill test with options that it must refuse, and returns how it ends. */
function refuse(...args: readonly string[]): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ readonly code: unknown; readonly stderr: string }>();
  execFile(process.execPath, [join(root, 'scripts/kill-test.ts'), ...args], { timeout: 60_000 }, (error, _, stderr) => {
    resolve({ code: error?.code, stderr });
  });
  return promise;
}

const ofProcess = 'SIGKILL, SIGTERM, SIGSTOP, clock step';

for (const [title, args, message] of [
  [
    'an unknown kind',
    ['--kinds', 'SIGKILL,sigterm'],
    `"sigterm" is not a fault of a test on sqlite. Choose from: ${ofProcess}`,
  ],
  ['an empty kind', ['--kinds', ''], `"" is not a fault of a test on sqlite. Choose from: ${ofProcess}`],
  [
    'a kind of another store',
    ['--kinds', 'cut'],
    `"cut" is not a fault of a test on sqlite. Choose from: ${ofProcess}`,
  ],
  [
    'an unknown kind on PostgreSQL',
    ['--store', 'postgres', '--kinds', 'cuts'],
    `"cuts" is not a fault of a test on postgres. Choose from: ${ofProcess}, cut, black hole, restart`,
  ],
  [
    'an engine without its database',
    ['--engine', 'pg-boss'],
    '--engine: "pg-boss" is not an engine of a test on sqlite. Choose from: memory',
  ],
  [
    'an unknown engine',
    ['--store', 'postgres', '--engine', 'redis'],
    '--engine: "redis" is not an engine of a test on postgres. Choose from: memory, pg-boss',
  ],
] as const) {
  test(`the kill test refuses ${title} and names those that it has`, async () => {
    const { code, stderr } = await refuse(...args);
    assert.equal(code, 2);
    assert.ok(stderr.includes(message), stderr);
  });
}
