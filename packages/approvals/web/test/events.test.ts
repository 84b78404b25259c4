import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { ApprovalStore } from '@ravi/kernel';
import { createMemoryApprovalStore } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { openScene, tokens } from './support/handler.ts';

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Enough time for the poller to look. */
async function passTime(clock: FakeClock): Promise<void> {
  await settle();
  clock.advance(500);
}

test('each change is an event with its number in the audit log, and with the state of its approval', async () => {
  const { handler, ask, send } = openScene();
  const reader = await readEvents(handler);
  const result = ask();
  const asked = await reader.next();
  assert.deepEqual([asked?.id, asked?.type, asked?.data.change.to], [1, 'approval', 'pending']);
  assert.equal(asked?.data.approval.summary, 'Write delays.md');
  await send('POST', '/v1/approvals/approval-1/decision', { body: { decision: 'denied', reason: 'no' } });
  const decided = await reader.next();
  assert.deepEqual([decided?.id, decided?.data.change.to, decided?.data.change.reason], [2, 'denied', 'no']);
  assert.equal(decided?.data.approval.answer.approver, 'ada');
  await result;
  assert.deepEqual((await reader.next())?.data.change.to, 'consumed');
  await reader.close();
});

test('a reader that reconnects continues after the last event it has read, also in another process', async () => {
  const store = createMemoryApprovalStore();
  const before = openScene({ store });
  const reader = await readEvents(before.handler);
  await before.keep({ id: 'a' });
  before.clock.advance(500);
  assert.equal((await reader.next())?.id, 1);
  await before.handler[Symbol.asyncDispose]();
  assert.equal(await reader.next(), undefined);
  for (let index = 0; index < 300; index++) await before.keep({ id: `b${index}` });

  const again = await readEvents(openScene({ store }).handler, { lastEventId: '1', query: '?after=0' });
  for (let id = 2; id <= 301; id++) assert.equal((await again.next())?.id, id);
  await again.close();
});

test('a stream that begins at a number of the list misses nothing', async () => {
  const { handler, keep, send } = openScene();
  await keep({ id: 'a' });
  const { body } = await send('GET', '/v1/approvals?status=pending');
  await keep({ id: 'b' });
  const reader = await readEvents(handler, { query: `?after=${body.sequence}` });
  assert.equal((await reader.next())?.data.approval.id, 'b');
  await reader.close();
});

test('a reader whose last event is not in the log starts over', async () => {
  const { handler, keep, clock } = openScene();
  await keep();
  const reader = await readEvents(handler, { lastEventId: '999' });
  assert.equal((await reader.next())?.type, 'reset');
  await keep({ id: 'b' });
  await passTime(clock);
  assert.equal((await reader.next())?.data.approval.id, 'b');
  await reader.close();
  await assert.rejects(readEvents(handler, { lastEventId: 'x' }), /400 .*whole number/);
});

test('an approver without the role only receives the changes of its own requests', async () => {
  const { handler, keep, clock } = openScene();
  const bob = await readEvents(handler, { token: tokens.bob });
  const grace = await readEvents(handler, { token: tokens.grace });
  await keep({ id: 'of-ada', principal: 'ada' });
  await keep({ id: 'of-bob', principal: 'bob' });
  await passTime(clock);
  assert.deepEqual((await bob.next())?.data.approval.id, 'of-bob');
  assert.deepEqual((await grace.next())?.data.approval.id, 'of-ada');
  assert.ok(!bob.text.includes('of-ada'));
  await bob.close();
  await grace.close();
});

test('a silent stream gives signs of life, and polls on without piling up timers', async () => {
  const { handler, clock } = openScene({ heartbeatMs: 1_000 });
  const reader = await readEvents(handler);
  const pending = reader.next();
  for (let seconds = 0; seconds < 5; seconds++) {
    await settle();
    clock.advance(1_000);
  }
  await settle();
  assert.equal(reader.text.match(/: still here/g)?.length, 5);
  await reader.close();
  assert.equal(await pending, undefined);
  await settle();
  assert.equal(clock.pendingTimers, 0);
});

test('a reader that takes nothing holds no events in memory and delays no other', async () => {
  const store = createMemoryApprovalStore();
  let reads = 0;
  const counting: ApprovalStore = { ...store, get: (id) => (reads++, store.get(id)) };
  const { handler, keep, clock } = openScene({ store: counting });
  const slow = await readEvents(handler, { query: '?after=0' });
  const quick = await readEvents(handler, { query: '?after=0' });
  for (let index = 0; index < 500; index++) await keep({ id: `a${index}` });
  clock.advance(500);
  await settle();
  assert.ok(reads < 20, `${reads} approvals were read ahead`);
  for (let id = 1; id <= 500; id++) assert.equal((await quick.next())?.id, id);
  for (let id = 1; id <= 500; id++) assert.equal((await slow.next())?.id, id);
  await slow.close();
  await quick.close();
});

test('a reader that takes nothing for long loses its place', async () => {
  const { handler, clock, keep } = openScene({ maxStreamsPerToken: 1 });
  const stuck = await handler.fetch(streamRequest());
  assert.equal(stuck.status, 200);
  await keep();
  await settle();
  assert.equal((await handler.fetch(streamRequest())).status, 503);
  await passTime(clock);
  await settle();
  clock.advance(120_000);
  await settle();
  const next = await handler.fetch(streamRequest());
  assert.equal(next.status, 200);
  await next.body?.cancel();
});

test('streams are limited, for each token and for all, and a closed one makes room', async () => {
  const { handler } = openScene({ maxStreams: 3, maxStreamsPerToken: 2 });
  const first = await readEvents(handler);
  await readEvents(handler);
  await assert.rejects(readEvents(handler), /503 .*E_STREAMS_EXHAUSTED/);
  await readEvents(handler, { token: tokens.bob });
  await assert.rejects(readEvents(handler, { token: tokens.grace }), /503 .*E_STREAMS_EXHAUSTED/);
  await first.close();
  await settle();
  await readEvents(handler, { token: tokens.grace });
});

test('a stream ends with the session that opened it', async () => {
  const { handler, send, clock } = openScene({ sessionTtlMs: 30_000, heartbeatMs: 1_000 });
  const signedIn = await send('POST', '/v1/approvals/session', { body: { token: tokens.ada }, token: '' });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const request = new Request(streamRequest(), { headers: { cookie } });
  const reader = (await handler.fetch(request)).body?.getReader();
  await reader?.read();
  const pending = reader?.read();
  await settle();
  clock.advance(30_000);
  await pending;
  assert.equal((await reader?.read())?.done, true);
});

test('a server that closes ends its streams and opens no more', async () => {
  const { handler, clock } = openScene();
  const reader = await readEvents(handler);
  handler.closeStreams();
  assert.equal(await reader.next(), undefined);
  await assert.rejects(readEvents(handler), /503 .*E_SHUTTING_DOWN/);
  await settle();
  assert.equal(clock.pendingTimers, 0);
});

test('a store that fails ends the stream, so that the reader reconnects and continues', async () => {
  const store = createMemoryApprovalStore();
  let isGone = false;
  const get: ApprovalStore['get'] = async (id) => {
    if (isGone) throw new KernelError('E_STATE_UNAVAILABLE', 'gone');
    return store.get(id);
  };
  const { handler, keep } = openScene({ store: { ...store, get } });
  isGone = true;
  await keep();
  const reader = await readEvents(handler, { query: '?after=0' });
  assert.equal(await reader.next(), undefined);
  isGone = false;
  const again = await readEvents(handler, { query: '?after=0' });
  assert.equal((await again.next())?.id, 1);
  await again.close();
});

function streamRequest(): Request {
  const headers = { authorization: `Bearer ${tokens.ada}` };
  return new Request('http://127.0.0.1:7341/v1/approvals/events?after=0', { headers });
}
