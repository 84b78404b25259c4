import { ok, strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'vitest';
import { proportionalBytes } from '../src/memory/proportional-bytes.ts';

const noLinux = process.platform !== 'linux';
const megabyte = 1_048_576;

test.skipIf(noLinux)('the memory of a process counts the processes below it', async () => {
  const source = `const kept = Buffer.alloc(${64 * megabyte}, 1); console.log(kept.length); process.stdin.resume()`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const [alone, together] = [proportionalBytes(child.pid), proportionalBytes()];
  child.stdin.end();
  await once(child, 'exit');
  ok(alone >= 64 * megabyte);
  ok(together > alone);
});

test.skipIf(noLinux)('a process that has ended takes nothing', async () => {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  strictEqual(proportionalBytes(child.pid), 0);
});
