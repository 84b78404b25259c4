import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { createBatchedWriter } from '../src/batches.ts';
import type { BatchedWriter } from '../src/batches.ts';

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

test('what comes in one turn of the event loop is written together, in its order', async () => {
  const { writer, batches } = record();
  await Promise.all(['a', 'b', 'c'].map((item) => writer.add(item)));
  assert.deepEqual(batches, [['a', 'b', 'c']]);
});

test('what comes while a batch is written makes the next one', async () => {
  const later: Promise<void>[] = [];
  const { writer, batches } = record(([item]) => {
    if (item === 'a') later.push(writer.add('b'), writer.add('c'));
  });
  await writer.add('a');
  await Promise.all(later);
  assert.deepEqual(batches, [['a'], ['b', 'c']]);
});

test('a batch ends at its number of items or its size, and an item beyond the size goes alone', async () => {
  const { writer, batches } = record();
  await Promise.all(['a', 'b', 'c', 'd', '123456789', '12345678901', 'e'].map((item) => writer.add(item)));
  assert.deepEqual(batches, [['a', 'b', 'c'], ['d', '123456789'], ['12345678901'], ['e']]);
});

test('an item that is refused is rejected alone, a batch that fails as a whole, and later ones are written', async () => {
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

test('it closes when everything that was added is written, and then takes no more', async () => {
  const { writer, batches } = record();
  const added = [writer.add('a'), writer.add('b')];
  await writer.close();
  assert.deepEqual(batches, [['a', 'b']]);
  await Promise.all(added);
  await assert.rejects(writer.add('c'), (error) => isKernelError(error, 'E_STATE_UNAVAILABLE'));
  await writer.close();
});
