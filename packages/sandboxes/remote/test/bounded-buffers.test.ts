import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SandboxRequest } from '@ravi/kernel';
import { recordCodec } from '@ravi/sandbox-kit';
import { test } from 'vitest';
import { createSendBudget } from '../src/protocol/send-budget.ts';
import { createFakeSandbox, fakeSupport, requestOf, returned } from './support/fake-sandbox.ts';
import { closed, openRawClient, startOf } from './support/raw-client.ts';
import { startRawNode } from './support/raw-node.ts';
import { createTestWorld } from './support/test-world.ts';

const mebibyte = 1_048_576;
const payload = 'x'.repeat(mebibyte / 4);

/** A guest that makes 64 calls of 256 KiB at once: 16 MiB. */
function flood({ bridge, signal }: SandboxRequest): Promise<unknown> {
  const calls = Array.from({ length: 64 }, () => bridge({ op: 'x', payload }, { signal: signal as AbortSignal }));
  return Promise.all(calls);
}

test('a node counts what a server does not read, and sends on when it does', async () => {
  await using world = createTestWorld();
  const node = await world.node(createFakeSandbox((request) => flood(request).then(() => returned('1'))));
  using client = openRawClient(node.port, world.serverFiles);
  const stream = client.run(startOf('flood'));
  await once(stream, 'response');
  while (node.health().bufferedBytes < 15 * mebibyte) await nextTurn();
  let received = 0;
  stream.on('data', (chunk: Buffer) => (received += chunk.length));
  while (node.health().bufferedBytes > 0) await nextTurn();
  while (received < 16 * mebibyte) await nextTurn();
  assert.ok(received < 17 * mebibyte, `${received}`);
});

test('a run that floods a server that does not read is ended at the limit, and another one continues', async () => {
  await using world = createTestWorld();
  const aborted: string[] = [];
  const gate = Promise.withResolvers<void>();
  const sandbox = createFakeSandbox(async (request) => {
    request.signal?.addEventListener('abort', () => aborted.push(request.code));
    if (request.code === 'flood') await flood(request);
    await gate.promise;
    return returned(await request.bridge({ op: 'x', payload: '7' }, { signal: request.signal as AbortSignal }));
  });
  const node = await world.node(sandbox, { maxBufferedBytes: 6 * mebibyte });
  using client = openRawClient(node.port, world.serverFiles);
  const other = await world.sandbox([node]);
  const polite = other.run(requestOf({ code: 'polite' }));
  const stream = client.run(startOf('flood'));
  assert.equal(await closed(stream), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  assert.deepEqual(aborted, ['flood']);
  assert.ok(node.health().bufferedBytes < mebibyte, `${node.health().bufferedBytes}`);
  gate.resolve();
  const outcome = await polite;
  assert.equal(outcome.status === 'ok' && outcome.value, '7');
  const { fields } = world.log.records.find(({ message }) => message === 'a run was ended') ?? {};
  assert.match(String(fields?.['reason']), /the limit is 6291456 \(maxBufferedBytes\)/);
});

test('replies that a node does not read are bounded too', async () => {
  await using world = createTestWorld();
  let unread = 0;
  const node = await startRawNode(world.nodeFiles, (send, stream) => {
    for (let id = 1; id <= 64; id++) send(recordCodec.encode('c', String(id), 'x', '1'));
    stream.pause();
    unread++;
  });
  await using _ = node;
  const sandbox = await world.sandbox([node.address], { maxBufferedBytes: mebibyte });
  const outcome = await sandbox.run(requestOf({ bridge: async () => payload }));
  assert.equal(unread, 1);
  assert.equal(outcome.status, 'crashed');
  assert.match('message' in outcome ? outcome.message : '', /wait to be read.*maxBufferedBytes/);
});

test('a file is read only as fast as the guest reads it', async () => {
  await using world = createTestWorld();
  const size = 64 * mebibyte;
  const opened = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const supports = { ...fakeSupport, files: ['javascript'] as const };
  const sandbox = createFakeSandbox(async ({ files = [] }) => {
    const content = await files[0]?.open();
    opened.resolve();
    await gate.promise;
    let bytes = 0;
    for await (const chunk of content ?? []) bytes += chunk.length;
    return returned(String(bytes));
  }, supports);
  const node = await world.node(sandbox);
  const remote = await world.sandbox([node]);
  let pulled = 0;
  const open = async (): Promise<ReadableStream<Uint8Array>> =>
    new ReadableStream({
      pull(controller) {
        pulled += mebibyte / 4;
        controller.enqueue(new Uint8Array(mebibyte / 4));
        if (pulled === size) controller.close();
      },
    });
  const ended = remote.run(requestOf({ files: [{ path: '/workspace/a', bytes: size, open }] }));
  await opened.promise;
  // The reader of the file stands still, so its stream does when the windows are full.
  for (let seen = -1; seen !== pulled;) {
    seen = pulled;
    for (let turn = 0; turn < 200; turn++) await nextTurn();
  }
  assert.ok(pulled < 8 * mebibyte, `${pulled} bytes were read ahead`);
  gate.resolve();
  const outcome = await ended;
  assert.equal(outcome.status === 'ok' && outcome.value, String(size));
});

test('a budget ends the stream with the most bytes', () => {
  const ended: string[] = [];
  const budget = createSendBudget(100);
  const streams = ['small', 'large'].map((name) => ({ name, bufferedBytes: 0, overflow: () => void end(name) }));
  const end = (name: string): void => {
    ended.push(name);
    const stream = streams.find((each) => each.name === name);
    budget.count(-(stream?.bufferedBytes ?? 0));
  };
  for (const stream of streams) budget.join(stream);
  const add = (index: number, bytes: number): void => {
    const stream = streams[index];
    if (stream !== undefined) stream.bufferedBytes += bytes;
    budget.count(bytes);
  };
  add(1, 80);
  add(0, 20);
  assert.deepEqual(ended, []);
  // The one that adds is not the one that holds the most.
  add(0, 1);
  assert.deepEqual([ended, budget.bytes], [['large'], 21]);
});
