import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

interface Printed {
  readonly isSuspended: boolean;
  readonly outputs: string;
  readonly refunds: readonly number[];
}

type Kind = 'stored' | 'forgotten' | 'foreign-key' | 'script';

async function startProcesses(kind: Kind): Promise<(step: 'ask' | 'resume') => Promise<Printed>> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-mastra-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const child = fileURLToPath(new URL('restart-child.ts', import.meta.url));
  return async (step) => {
    const { stdout } = await promisify(execFile)(process.execPath, [child, folder, kind, step]);
    return JSON.parse(stdout) as Printed;
  };
}

test('another process resumes a call with the decision, once', async () => {
  const inProcess = await startProcesses('stored');
  expect((await inProcess('ask')).isSuspended).toBe(true);

  const first = await inProcess('resume');
  const second = await inProcess('resume');

  expect(first.refunds).toEqual([7]);
  expect(first.outputs).toContain('refunded');
  expect(second.refunds).toEqual([]);
});

test('without stored requests another process asks again', async () => {
  const inProcess = await startProcesses('forgotten');
  await inProcess('ask');

  expect(await inProcess('resume')).toMatchObject({ refunds: [], isSuspended: true });
});

test('a decision that was signed with another key approves nothing', async () => {
  const inProcess = await startProcesses('foreign-key');
  await inProcess('ask');

  expect(await inProcess('resume')).toMatchObject({ refunds: [], isSuspended: true });
});

test('a script does not survive its process, and no call of it is made twice', async () => {
  const inProcess = await startProcesses('script');
  await inProcess('ask');

  const { refunds, outputs } = await inProcess('resume');

  expect(refunds).toEqual([]);
  expect(outputs).toContain('unknown if it had its effect');
});
