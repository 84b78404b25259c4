import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { honestTools, serveHttp, serveSdk } from '@ravi/mcp-testing';
import type { ReceivedMessage, Wire } from '@ravi/mcp-testing';
import { createFakeClock, settle } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { openSource } from './support/open-source.ts';
import type { TestSource } from './support/open-source.ts';
import { complete, modernScript } from './support/modern-script.ts';
import type { ModernBehaviour, ModernScript } from './support/modern-script.ts';

const more = { ...honestTools[0], name: 'more' };

/** Server of version 2026-07-28 whose list a test changes, with an open source and the clock of the source. */
interface Opened extends AsyncDisposable {
  readonly source: TestSource;
  readonly modern: ModernScript;
  readonly clock: FakeClock;
  /** Readings of the list so far. */
  reads(): number;
  /** Replaces the list of the server. */
  list(tools: readonly unknown[]): void;
}

async function openListed(behaviour: ModernBehaviour = {}): Promise<Opened> {
  let tools: readonly unknown[] = honestTools;
  let reads = 0;
  const modern = modernScript({
    tools: () => {
      reads++;
      return tools;
    },
    ...behaviour,
  });
  const server = await serveHttp(modern.script);
  const clock = createFakeClock();
  const source = await openSource({ name: 'listed', url: server.url, allowPrivateAddresses: true }, clock);
  return {
    source,
    modern,
    clock,
    reads: () => reads,
    list: (changed) => void (tools = changed),
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Waits for something that a real connection brings about. */
async function when(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}

/** Moves the clock on, a second at a time, until something holds that follows from timers and messages. */
async function advanceUntil(clock: FakeClock, holds: () => boolean): Promise<void> {
  while (!holds()) {
    clock.advance(1_000);
    for (let turn = 0; turn < 5; turn++) await settle();
  }
}

test('a subscriber hears of a changed list, and reads it once for any number of announcements', async () => {
  await using opened = await openListed();
  const { source, modern, clock } = opened;
  await when(() => modern.subscriptions() === 1);
  const before = source.tool('listed__work');
  opened.list([...honestTools, more]);
  const timers = clock.pendingTimers;
  for (let times = 0; times < 5; times++) modern.announce();
  await when(() => clock.pendingTimers > timers);
  assert.deepEqual([opened.reads(), source.names()], [1, ['listed__work']]);
  clock.advance(1_000);
  await source.until(() => source.names().length === 2);
  assert.deepEqual([opened.reads(), source.names()], [2, ['listed__work', 'listed__more']]);
  assert.equal(source.tool('listed__work'), before);
});

test('the official server, with another tool, is read again after its announcement', async () => {
  await using server = await serveSdk({ legacy: 'reject' });
  const clock = createFakeClock();
  await using source = await openSource({ name: 'sdk', url: server.url, allowPrivateAddresses: true }, clock);
  assert.equal(source.names().includes('sdk__later'), false);
  server.addTool('later');
  await advanceUntil(clock, () => {
    // The client hears no announcement before its subscription is open.
    server.announce();
    return source.names().includes('sdk__later');
  });
  const { content } = await source.call('sdk__later');
  assert.deepEqual(content, [{ type: 'text', text: 'later' }]);
});

test('a tool that a server withdraws is gone after the announcement', async () => {
  await using opened = await openListed();
  const { source, modern, clock } = opened;
  await when(() => modern.subscriptions() === 1);
  opened.list([]);
  modern.announce();
  await advanceUntil(clock, () => source.names().length === 0);
});

test('a subscription that is interrupted is opened again, and a change in the gap is found', async () => {
  await using opened = await openListed();
  const { source, modern, clock } = opened;
  await when(() => modern.subscriptions() === 1);
  modern.interrupt();
  opened.list([...honestTools, more]);
  await advanceUntil(clock, () => source.names().length === 2);
  assert.equal(modern.subscriptions(), 2);
  assert.equal(source.state(), 'ready');
});

test('a list with a time to live is read again after it, and not before', async () => {
  await using opened = await openListed({ ttlMs: 60_000 });
  const { source, clock } = opened;
  opened.list([...honestTools, more]);
  clock.advance(59_999);
  await settle();
  assert.equal(opened.reads(), 1);
  clock.advance(1);
  await source.until(() => source.names().length === 2);
  assert.equal(opened.reads(), 2);
  // The new list has a time to live of its own.
  opened.list(honestTools);
  await settle();
  clock.advance(60_000);
  await source.until(() => source.names().length === 1);
  assert.equal(opened.reads(), 3);
});

test('a list without a time to live is not read again without an announcement', async () => {
  await using opened = await openListed();
  const { modern, clock } = opened;
  await when(() => modern.subscriptions() === 1);
  clock.advance(24 * 60 * 60 * 1_000);
  await settle();
  assert.equal(opened.reads(), 1);
});

test('a time to live of a moment makes the list to be read once a second at most', async () => {
  await using opened = await openListed({ ttlMs: 1 });
  const { clock } = opened;
  clock.advance(999);
  await settle();
  assert.equal(opened.reads(), 1);
  clock.advance(1);
  await when(() => opened.reads() === 2);
});

test('an announcement during a reading is not forgotten because the list has a long time to live', async () => {
  const held: (readonly [ReceivedMessage, Wire])[] = [];
  let reads = 0;
  const answer = (message: ReceivedMessage, wire: Wire, tools: readonly unknown[]): void =>
    complete(message, wire, { tools, ttlMs: 3_600_000, cacheScope: 'private' });
  await using opened = await openListed({
    on: {
      'tools/list': (message, wire) => {
        reads++;
        // The second reading takes until the test answers it.
        if (reads === 2) held.push([message, wire]);
        else answer(message, wire, reads === 1 ? honestTools : [...honestTools, more]);
      },
    },
  });
  const { source, modern, clock } = opened;
  await when(() => modern.subscriptions() === 1);
  modern.announce();
  await advanceUntil(clock, () => held.length === 1);
  const timers = clock.pendingTimers;
  modern.announce();
  await when(() => clock.pendingTimers > timers);
  const [[message, wire]] = held as [readonly [ReceivedMessage, Wire]];
  const withOther = [...honestTools, { ...more, name: 'other' }];
  answer(message, wire, withOther);
  await source.until(() => source.names().length === 2);
  assert.deepEqual(source.names(), ['listed__work', 'listed__other']);
  clock.advance(2_000);
  await source.until(() => source.names().includes('listed__more'));
});

test('a source that is closed reads no list again', async () => {
  const opened = await openListed({ ttlMs: 60_000 });
  await opened[Symbol.asyncDispose]();
  await when(() => opened.clock.pendingTimers === 0);
  opened.clock.advance(120_000);
  await settle();
  assert.equal(opened.reads(), 1);
});

test('a change while the first subscription begins is found without an announcement', async () => {
  let tools: readonly unknown[] = honestTools;
  const modern = modernScript({
    tools: () => tools,
    on: {
      any: ({ method }) => {
        if (method === 'subscriptions/listen') tools = [...honestTools, more];
      },
    },
  });
  await using server = await serveHttp(modern.script);
  await using source = await openSource({ name: 'listed', url: server.url, allowPrivateAddresses: true });
  assert.deepEqual(source.names(), ['listed__work', 'listed__more']);
});

test('a server that is slow to begin a subscription is read before, and again when it has begun', async () => {
  const held: (readonly [ReceivedMessage, Wire])[] = [];
  let tools: readonly unknown[] = honestTools;
  const modern = modernScript({ tools: () => tools });
  const begin = modern.script.on?.['subscriptions/listen'];
  const script = {
    on: { ...modern.script.on, 'subscriptions/listen': (...asked: [ReceivedMessage, Wire]) => void held.push(asked) },
  };
  await using server = await serveHttp(script);
  const clock = createFakeClock();
  const opening = openSource({ name: 'listed', url: server.url, allowPrivateAddresses: true }, clock);
  await when(() => held.length === 1);
  clock.advance(1_000);
  await using source = await opening;
  assert.deepEqual(source.names(), ['listed__work']);
  tools = [...honestTools, more];
  begin?.(...(held[0] as [ReceivedMessage, Wire]));
  await advanceUntil(clock, () => source.names().length === 2);
});

test('while a reading takes long no other one begins, and announcements meanwhile cause one more', async () => {
  const held: (() => void)[] = [];
  let reads = 0;
  await using opened = await openListed({
    on: {
      'tools/list': (message, wire) => {
        reads++;
        const answer = (): void => complete(message, wire, { tools: honestTools, ttlMs: 0, cacheScope: 'private' });
        if (reads === 2) held.push(answer);
        else answer();
      },
    },
  });
  const { modern, clock } = opened;
  await when(() => modern.subscriptions() === 1);
  modern.announce();
  await advanceUntil(clock, () => held.length === 1);
  for (let times = 0; times < 3; times++) {
    const timers = clock.pendingTimers;
    modern.announce();
    await when(() => clock.pendingTimers > timers);
    clock.advance(1_000);
  }
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.equal(reads, 2);
  held[0]?.();
  await advanceUntil(clock, () => reads === 3);
  clock.advance(60_000);
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.equal(reads, 3);
});

for (const version of ['2025-11-25', '2026-07-28'] as const) {
  test(`${version}: a tool that is wrong in a list costs only itself, and is reported`, async () => {
    const right = honestTools[0] as object;
    const tools = (): readonly unknown[] => [
      null,
      { ...right, name: 7 },
      { name: 'bare' },
      { ...right, name: 'listed', inputSchema: [] },
      { ...right, name: 'numbered', description: 1, title: {}, annotations: 'safe', icons: 5 },
      right,
    ];
    await using server = await serveHttp(version === '2025-11-25' ? { tools } : modernScript({ tools }).script);
    await using source = await openSource({ name: 'mixed', url: server.url, allowPrivateAddresses: true });
    assert.equal(source.open.remote?.status().protocol, version);
    assert.deepEqual(source.names(), ['mixed__numbered', 'mixed__work']);
    assert.deepEqual(
      source.open.content().failures.map(({ from }) => from),
      ['undefined', '7', 'bare', 'listed'],
    );
  });
}

test('a server of version 2025-11-25 announces changed tools and prompts on its own stream, over HTTP', async () => {
  const streams: ServerResponse[] = [];
  let tools: readonly unknown[] = honestTools;
  let prompts: readonly unknown[] = [];
  await using server = await serveHttp({
    capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } },
    tools: () => tools,
    on: { 'prompts/list': (message, wire) => wire.result(message, { prompts }) },
    http(request, response) {
      if (request.method !== 'GET') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.push(response);
      return true;
    },
  });
  const clock = createFakeClock();
  const options = { name: 'listed', url: server.url, allowPrivateAddresses: true, prompts: true };
  await using source = await openSource(options, clock);
  const announce = (list: string): unknown =>
    streams[0]?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })}\n\n`);
  await when(() => streams.length === 1);
  assert.deepEqual(source.names(), ['listed__work']);
  tools = [...honestTools, more];
  announce('tools');
  await advanceUntil(clock, () => source.names().includes('listed__more'));
  prompts = [{ name: 'greet' }];
  announce('prompts');
  await advanceUntil(clock, () => source.names().includes('listed__prompts.greet'));
});
