import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { createBatchedWriter } from '../src/batched-writer.ts';
import type { BatchedWriter } from '../src/batched-writer.ts';

interface Recorder {
  readonly writer: BatchedWriter<string>;
  readonly batches: readonly (readonly string[])[];
}

function record(onWrite: (items: readonly string[]) => unknown = () => {}): Recorder {
  const batches: (readonly string[])[] = [];
  const writer = createBatchedWriter<string>({
    maxItems: 3,
    maxSize: 10,
    sizeOf: (item) => item.length,
    async write(items) {
      batches.push(items);
      await onWrite(items);
      return items.map((item) => (item === 'bad' ? new Error('refused') : undefined));
    },
  });
  return { writer, batches };
}

test('items added in one event loop iteration are written together, in order', async () => {
  const { writer, batches } = record();
  await Promise.all(['a', 'b', 'c'].map((item) => writer.add(item)));
  assert.deepEqual(batches, [['a', 'b', 'c']]);
});

test('items added while a batch is written form the next batch', async () => {
  const later: Promise<void>[] = [];
  const { writer, batches } = record(([item]) => {
    if (item === 'a') later.push(writer.add('b'), writer.add('c'));
  });
  await writer.add('a');
  await Promise.all(later);
  assert.deepEqual(batches, [['a'], ['b', 'c']]);
});

test('a batch is limited by its number of items and its size, and a larger item is written alone', async () => {
  const { writer, batches } = record();
  await Promise.all(['a', 'b', 'c', 'd', '123456789', '12345678901', 'e'].map((item) => writer.add(item)));
  assert.deepEqual(batches, [['a', 'b', 'c'], ['d', '123456789'], ['12345678901'], ['e']]);
});

test('a refused item is rejected alone, a failed batch as a whole, and later items are written', async () => {
  let failures = 0;
  const { writer } = record((items) => {
    if (!items.includes('doomed')) return;
    failures += 1;
    throw new Error('disk full');
  });
  const refused = await Promise.allSettled(['a', 'bad', 'b'].map((item) => writer.add(item)));
  assert.deepEqual(
    refused.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  const failed = await Promise.allSettled(['c', 'doomed'].map((item) => writer.add(item)));
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(failures, 1);
  await writer.add('d');
});

test('close waits for all added items, and later items are rejected', async () => {
  const { writer, batches } = record();
  const added = [writer.add('a'), writer.add('b')];
  await writer.close();
  assert.deepEqual(batches, [['a', 'b']]);
  await Promise.all(added);
  await assert.rejects(writer.add('c'), (error) => isKernelError(error, 'E_STATE_UNAVAILABLE'));
  await writer.close();
});
