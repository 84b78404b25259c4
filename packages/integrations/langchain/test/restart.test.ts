import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Interrupt } from '@langchain/langgraph';
import { expect, onTestFinished, test } from 'vitest';
import { answerTo } from '../src/index.ts';
import type { ApprovalQuestion } from '../src/index.ts';

interface Printed {
  readonly interrupts: readonly Interrupt<ApprovalQuestion>[];
  readonly outputs: readonly string[];
  readonly refunds: readonly number[];
}

type Kind = 'stored' | 'forgotten' | 'script';

async function startProcesses(kind: Kind): Promise<(answer?: unknown) => Promise<Printed>> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-langchain-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const child = fileURLToPath(new URL('restart-child.ts', import.meta.url));
  return async (answer) => {
    const parts = [child, folder, kind, ...(answer === undefined ? [] : [JSON.stringify(answer)])];
    const { stdout } = await promisify(execFile)(process.execPath, parts);
    return JSON.parse(stdout) as Printed;
  };
}

test('another process resumes a call with the decision, once', async () => {
  const inProcess = await startProcesses('stored');
  const { interrupts } = await inProcess();
  const answer = answerTo(interrupts[0]!, 'approve');

  const first = await inProcess(answer);
  const second = await inProcess(answer);

  expect(first.refunds).toEqual([7]);
  expect(first.outputs).toEqual(['{"refunded":7}']);
  expect(second.refunds).toEqual([]);
});

test('without stored requests another process asks again', async () => {
  const inProcess = await startProcesses('forgotten');
  const { interrupts } = await inProcess();

  const first = await inProcess(answerTo(interrupts[0]!, 'approve'));
  expect(first.refunds).toEqual([]);
  expect(first.interrupts).toHaveLength(1);
});

test('a script does not survive its process, and no call of it is made twice', async () => {
  const inProcess = await startProcesses('script');
  const { interrupts } = await inProcess();

  const first = await inProcess(answerTo(interrupts[0]!, 'approve'));

  expect(first.refunds).toEqual([]);
  expect(first.outputs[0]).toContain('unknown if it had its effect');
});
