import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { BlobRange } from '@ravi/kernel';
import type { BlobStoreScenario } from './blob-store-contract.ts';
import { noiseOf, readAll, sha256Of, storeOptions, streamOf } from './samples.ts';

const nothingStored = { removed: 0, kept: 0, freedBytes: 0 };

/** Streams in and out, ranges, and writes that do not come to their end. */
export function streamCases(scenario: BlobStoreScenario): void {
  scenario('a stream is stored whole, for any size of its pieces', async ({ store }) => {
    const bytes = noiseOf(3 * 1024 * 1024 + 17);
    for (const pieceBytes of [64 * 1024 - 1, 1024 * 1024, 4 * 1024 * 1024]) {
      const ref = await store.store(streamOf(bytes, pieceBytes), storeOptions);
      assert.equal((await store.stat(ref))?.sha256, sha256Of(bytes));
      assert.ok(Buffer.from(bytes).equals(await store.resolve(ref)));
    }
  });

  scenario('an opened blob streams what resolve gives', async ({ store }) => {
    for (const length of [0, 1, 1024 * 1024, 2 * 1024 * 1024 + 5]) {
      const bytes = noiseOf(length);
      const ref = await store.store(bytes, storeOptions);
      assert.ok((await readAll(await store.open(ref))).equals(Buffer.from(bytes)));
    }
  });

  scenario('a range is cut at the end of the blob', async ({ store }) => {
    const bytes = noiseOf(2 * 1024 * 1024);
    const ref = await store.store(bytes, storeOptions);
    const ranges: readonly BlobRange[] = [
      { offset: 0, length: 10 },
      { offset: 100 },
      { offset: 1024 * 1024 - 3, length: 7 },
      { offset: 5, length: 0 },
      { length: 0 },
      { offset: bytes.length - 4, length: 1_000 },
      { offset: bytes.length },
      { offset: bytes.length + 1, length: 5 },
      { offset: Number.MAX_SAFE_INTEGER, length: Number.MAX_SAFE_INTEGER },
      { length: Number.MAX_SAFE_INTEGER },
    ];
    for (const range of ranges) {
      const { offset = 0, length = bytes.length } = range;
      const expected = Buffer.from(bytes.subarray(offset, offset + length));
      assert.ok((await readAll(await store.open(ref, range))).equals(expected), JSON.stringify(range));
    }
  });

  scenario('a range that is not a count of bytes is a TypeError', async ({ store }) => {
    const ref = await store.store('0123456789', storeOptions);
    for (const range of [{ offset: -1 }, { length: -1 }, { offset: 0.5 }, { length: Number.NaN }]) {
      await assert.rejects(store.open(ref, range), TypeError);
    }
  });

  scenario('a reader that leaves early does not affect others', async ({ store }) => {
    const bytes = noiseOf(3 * 1024 * 1024);
    const ref = await store.store(bytes, storeOptions);
    const early = (await store.open(ref)).getReader();
    assert.ok(((await early.read()).value?.byteLength ?? 0) > 0);
    await early.cancel();
    assert.ok((await readAll(await store.open(ref))).equals(Buffer.from(bytes)));
  });

  scenario('a stream that fails fails the store with its error and leaves nothing', async ({ store, clock }) => {
    const broken = new Error('source broke');
    let pulls = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        if (pulls > 2) throw broken;
        controller.enqueue(noiseOf(1024 * 1024));
      },
    });
    await assert.rejects(store.store(source, { ...storeOptions, pinOwner: 'run-1' }), broken);
    assert.deepEqual(await store.sweep(clock.now()), nothingStored);
  });

  scenario('a stream of something else than bytes is a TypeError and leaves nothing', async ({ store, clock }) => {
    const source = new ReadableStream<unknown>({
      start(controller) {
        controller.enqueue(Uint8Array.of(1));
        controller.enqueue('text');
        controller.close();
      },
    });
    await assert.rejects(store.store(source as ReadableStream<Uint8Array>, storeOptions), TypeError);
    assert.deepEqual(await store.sweep(clock.now()), nothingStored);
  });

  scenario(
    'an aborted signal stops a store whose stream is silent, and cancels the stream',
    async ({ store, clock }) => {
      const abort = new AbortController();
      let cancelled: unknown;
      const source = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(noiseOf(1024)),
        pull: () => abort.abort('enough'),
        cancel: (reason) => void (cancelled = reason),
      });
      const storing = store.store(source, { ...storeOptions, pinOwner: 'run-1', signal: abort.signal });
      await assert.rejects(soon(storing), (error) => isKernelError(error, 'E_CANCELLED'));
      assert.equal(cancelled, 'enough');
      assert.deepEqual(await store.sweep(clock.now()), nothingStored);
    },
  );

  scenario('a signal aborted beforehand stores nothing', async ({ store, clock }) => {
    for (const data of ['text', noiseOf(2 * 1024 * 1024), streamOf(noiseOf(10), 5)]) {
      const storing = store.store(data, { ...storeOptions, signal: AbortSignal.abort() });
      await assert.rejects(storing, (error) => isKernelError(error, 'E_CANCELLED'));
    }
    assert.deepEqual(await store.sweep(clock.now()), nothingStored);
  });
}

/** Fails what would otherwise hang, since a runner may have no time limit of its own. */
async function soon(storing: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The store still waits for its stream')), 5_000);
  });
  try {
    await Promise.race([storing, limit]);
  } finally {
    clearTimeout(timer);
  }
}
