import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { test } from 'vitest';
import { guestSource } from '../src/guest/source.ts';
import type { BoundedRequest } from '../src/host/bounded-request.ts';
import { codec, startFrame } from '../src/host/wire.ts';
import { createFairQueue } from '../src/host/fair-queue.ts';
import { canReadProcessUsage, createUsageReader } from '../src/host/process-usage.ts';

test('records of any text are decoded unchanged', () => {
  const texts = ['', ':', '3:abc', '\n\t\u0000', 'ä🎉', 'a'.repeat(70_000)];
  const reader = codec.read(`#${codec.encode('l', ...texts)}${codec.encode('u')}`, 1);
  assert.equal(reader.kind(), 'l');
  assert.deepEqual(
    texts.map(() => reader.field()),
    texts,
  );
  assert.equal(reader.kind(), 'u');
  assert.equal(reader.kind(), '');
});

test('encodeThree equals encode for three fields', () => {
  assert.equal(codec.encodeThree('c', '1', 'op', '{}'), codec.encode('c', '1', 'op', '{}'));
});

test('a prelude that the guest holds is not sent again', () => {
  const prelude = 'return { call: host.call }';
  const request = { limits: { memoryBytes: 1 }, prelude, code: 'return 1' } as BoundedRequest;
  const sent = ['another', undefined, prelude].map((held) => {
    const { field } = codec.read(startFrame(request, held), 0);
    return Array.from({ length: 5 }, field)[3];
  });
  assert.deepEqual(sent, [prelude, prelude, '=']);
});

test('the guest runtime refers to nothing outside itself', () => {
  // In a scope without the names of this module or of Node, where the runtime exercises itself.
  const runtime = runInNewContext(guestSource) as Record<string, unknown>;
  const entries = ['prelude', 'limit', 'script', 'deliver', 'drain', 'fire', 'flush'];
  assert.deepEqual(
    entries.filter((name) => typeof runtime[name] !== 'function'),
    [],
  );
});

test('a fair queue forgets what is removed', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'b1']) queue.add(item[0] as string, item);
  queue.remove('a', 'a1');
  queue.remove('c', 'unknown');
  assert.equal(queue.size, 2);
  const seen: string[] = [];
  queue.offer((_key, item) => seen.push(item) > 0);
  assert.deepEqual(seen, ['a2', 'b1']);
  assert.deepEqual(queue.drain(), []);
});

test.skipIf(!canReadProcessUsage)(
  'the usage of a process is read from /proc, and a missing process is not an error',
  () => {
    const reader = createUsageReader(process.pid);
    const usage = reader.read();
    assert.ok(usage !== undefined);
    const { rss } = process.memoryUsage();
    assert.ok(Math.abs(usage.residentBytes - rss) < rss / 2, `${usage.residentBytes} against ${rss}`);
    assert.ok(
      usage.cpuTimeMs > 0 &&
        usage.cpuTimeMs <= process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000 + 20,
    );
    assert.ok((reader.read()?.cpuTimeMs ?? 0) >= usage.cpuTimeMs, 'a second read returns new values');
    reader.close();
    assert.equal(reader.read(), undefined);
    assert.equal(createUsageReader(2 ** 30).read(), undefined);
  },
);
