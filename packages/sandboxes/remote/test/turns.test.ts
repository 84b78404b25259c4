import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeFrame, recordCodec } from '@ravi/sandbox-kit';
import { test } from 'vitest';
import { requestOf } from './support/fake-sandbox.ts';
import { startRawNode } from './support/raw-node.ts';
import type { SendRaw } from './support/raw-node.ts';
import { createTestWorld } from './support/test-world.ts';

const call = (id: number): string => recordCodec.encode('c', String(id), 'x', `${id}`);
const mark = (replies: number): string => recordCodec.encode('t', String(replies));
const end = recordCodec.encode('e', '{"status":"ok","durationMs":1,"consoleDroppedBytes":0}', '');

test('a turn has not ended while a reply is on its way to the guest', async () => {
  await using world = createTestWorld();
  const seen: string[] = [];
  const opened = Promise.withResolvers<SendRaw>();
  await using node = await startRawNode(world.nodeFiles, (send) => opened.resolve(send));
  const sandbox = await world.sandbox([node.address]);
  const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const run = sandbox.run(
    requestOf({
      bridge: ({ payload }) => {
        seen.push(`call ${payload}`);
        return gates[Number(payload) - 1]?.promise ?? Promise.resolve('');
      },
      onTurnEnd: () => seen.push('turn'),
    }),
  );
  const send = await opened.promise;
  const until = async (count: number): Promise<void> => {
    while (seen.length < count) await nextTurn();
  };
  send(call(1) + call(2) + mark(0));
  await until(3);
  gates[0]?.resolve('one');
  await nextTurn();
  // The first mark is older than the reply; the second one is not, and the third call has no reply yet.
  send(mark(0) + call(3) + mark(1));
  await until(5);
  // Meanwhile the third call has a reply, which the guest handles before the last mark only.
  send(mark(1));
  send(mark(2));
  await until(6);
  gates[1]?.resolve('two');
  await nextTurn();
  send(mark(2) + end);
  assert.equal((await run).status, 'ok');
  assert.deepEqual(seen, ['call 1', 'call 2', 'turn', 'call 3', 'turn', 'turn']);
});

test('records that arrive byte by byte are the same records', async () => {
  await using world = createTestWorld();
  const seen: string[] = [];
  await using node = await startRawNode(world.nodeFiles, (send) => {
    for (const record of [call(1) + recordCodec.encode('l', 'log', 'grüße 🎉'), mark(0), end]) {
      for (const byte of encodeFrame(record)) send(Buffer.of(byte));
    }
  });
  const sandbox = await world.sandbox([node.address]);
  const outcome = await sandbox.run(
    requestOf({
      bridge: ({ payload }) => {
        seen.push(`call ${payload}`);
        return new Promise(() => {});
      },
      onConsole: ({ text }) => seen.push(text),
      onTurnEnd: () => seen.push('turn'),
    }),
  );
  assert.equal(outcome.status, 'ok');
  assert.deepEqual(seen, ['call 1', 'grüße 🎉', 'turn']);
});
