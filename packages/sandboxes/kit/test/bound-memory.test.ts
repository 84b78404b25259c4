import assert from 'node:assert/strict';
import type { SandboxOutcome } from '@ravi/kernel';
import { test } from 'vitest';
import { createProcessSandbox } from '../src/create-process-sandbox.ts';
import { codec } from '../src/host/wire.ts';
import { createFakeLauncher, limits } from './fake-guest.ts';
import type { FakeGuest } from './fake-guest.ts';

test('a guest whose memory the system can limit is limited before its run starts', async () => {
  const seen: unknown[] = [];
  const outcome = await runBound((memoryBytes, guest) => seen.push(memoryBytes, guest.received.length));
  assert.equal(outcome.status, 'ok');
  assert.deepEqual(seen, [limits.memoryBytes, 0]);
});

test('a guest that ends while its memory is being limited is a crash', async () => {
  const outcome = await runBound((_memoryBytes, guest) => guest.close('ended'));
  assert.equal(outcome.status, 'crashed');
});

async function runBound(bind: (memoryBytes: number, guest: FakeGuest) => void): Promise<SandboxOutcome> {
  const { launch, guests } = createFakeLauncher((guest) => guest.say(`e${codec.encode('u')}`));
  await using sandbox = createProcessSandbox({
    name: 'fake',
    supports: { languages: ['javascript'], isolation: 'process', limits: [], detectsDeadlock: true },
    launch: (events) => {
      const link = launch(events);
      const guest = guests.at(-1) as FakeGuest;
      return { ...link, boundMemory: async (memoryBytes) => bind(memoryBytes, guest) };
    },
    pool: { poolSize: 1 },
  });
  return await sandbox.run({
    language: 'javascript',
    code: '',
    prelude: '',
    principal: 'alice',
    limits,
    bridge: async () => '',
    onConsole() {},
  });
}
