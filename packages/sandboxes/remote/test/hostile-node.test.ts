import assert from 'node:assert/strict';
import type { SandboxOutcome } from '@ravi/kernel';
import { recordCodec } from '@ravi/sandbox-kit';
import { test } from 'vitest';
import { requestOf } from './support/fake-sandbox.ts';
import { startRawNode } from './support/raw-node.ts';
import { createTestWorld } from './support/test-world.ts';

const call = (id: number): string => recordCodec.encode('c', String(id), 'x', '1');
const line = (level: string, text: string): string => recordCodec.encode('l', level, text);
const end = (outcome: object, value = ''): string => recordCodec.encode('e', JSON.stringify(outcome), value);
const figures = { durationMs: 1, consoleDroppedBytes: 0 };
const never = (): Promise<string> => new Promise(() => {});

function oversized(): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(100_000_000);
  return head;
}

const attacks: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  'announces a frame of 100 MB': [oversized()],
  'sends a record of an unknown kind': ['?1:a'],
  'sends a record that breaks off': ['c1:1'],
  'sends a length that is not one': ['l99999999999:a'],
  'sends a call out of order': [call(2)],
  'repeats a call': [call(1), call(1)],
  'sends more calls at once than it may': Array.from({ length: 65 }, (_, index) => call(index + 1)),
  'sends console output of an unknown level': [line('fatal', 'x')],
  'sends more console output than it may': [line('log', 'x'.repeat(1_001))],
  'asks for a file that the run does not have': [recordCodec.encode('o', '0')],
  'asks for a file by a name': [recordCodec.encode('o', '__proto__')],
  'sends an outcome that is not JSON': [recordCodec.encode('e', '{', '')],
  'sends an outcome that does not exist': [end({ status: 'fine', ...figures })],
  'sends an outcome without a duration': [end({ status: 'ok' })],
  'sends an outcome with an infinite duration': [recordCodec.encode('e', '{"status":"ok","durationMs":1e999}', '')],
  'sends a limit that ends no run': [end({ status: 'limit', limit: 'stack', message: 'x', ...figures })],
  'sends an error without a name': [end({ status: 'error', error: { message: 'x' }, ...figures })],
  'sends a value that is too large': [end({ status: 'ok', hasValue: true, ...figures }, 'x'.repeat(1_001))],
};

for (const [name, frames] of Object.entries(attacks)) {
  test(`the run of a node that ${name} has crashed, and the server is well`, async () => {
    await using world = createTestWorld();
    let isHostile = true;
    await using node = await startRawNode(world.nodeFiles, (send) => {
      if (isHostile) for (const frame of frames) send(frame);
      else send(end({ status: 'ok', hasValue: true, ...figures }, '1'));
    });
    const sandbox = await world.sandbox([node.address]);
    const outcome = await sandbox.run(requestOf({ bridge: never }));
    assert.equal(outcome.status, 'crashed', JSON.stringify(outcome));
    isHostile = false;
    assert.equal(valueOf(await sandbox.run(requestOf())), '1');
  });
}

test('members of an outcome that the port does not have are left out', async () => {
  await using world = createTestWorld();
  const error = { name: 'E', message: 'm', line: 1, extra: { deep: true } };
  await using node = await startRawNode(world.nodeFiles, (send) =>
    send(end({ status: 'error', error, ...figures, x: 1 })),
  );
  const sandbox = await world.sandbox([node.address]);
  assert.deepEqual(await sandbox.run(requestOf()), {
    status: 'error',
    error: { name: 'E', message: 'm', line: 1 },
    ...figures,
  });
});

test('a refusal with another code than the port knows is a node that is not available', async () => {
  await using world = createTestWorld();
  await using node = await startRawNode(world.nodeFiles, (send) => send(recordCodec.encode('x', 'E_EVIL', 'x')));
  const sandbox = await world.sandbox([node.address]);
  await assert.rejects(sandbox.run(requestOf()), { code: 'E_SANDBOX_UNAVAILABLE', retryable: true });
});

const reports: Readonly<Record<string, readonly [object, RegExp]>> = {
  'another version of the protocol': [{ protocol: 2 }, /version 2 of the protocol, not 1/],
  'a report without what it supports': [{ supports: null }, /sent a report that cannot be read/],
  'an isolation that does not exist': [
    { supports: { languages: [], limits: [], isolation: 'steel' } },
    /cannot be read/,
  ],
  'a report of a megabyte': [{ sandbox: 'x'.repeat(1_000_000) }, /report that is too large/],
  'a report that it is shutting down': [{ status: 'draining' }, /is shutting down/],
};

for (const [name, [report, reason]] of Object.entries(reports)) {
  test(`a node with ${name} is not used`, async () => {
    await using world = createTestWorld();
    await using node = await startRawNode(world.nodeFiles, () => {}, report);
    const opening = world.sandbox([node.address], { connectTimeoutMs: 400 });
    await assert.rejects(opening, (error: Error) => reason.test(error.message));
  });
}

function valueOf(outcome: SandboxOutcome): string | undefined {
  return outcome.status === 'ok' ? outcome.value : undefined;
}
