import assert from 'node:assert/strict';
import type { BlobStoreScenario } from './blob-store-contract.ts';
import { noiseOf, scope, sha256Of, storeOptions } from './samples.ts';

/** Cases about stored content: bytes, text, metadata. */
export function contentCases(scenario: BlobStoreScenario): void {
  scenario('bytes come back as they were stored', async ({ store }) => {
    const bytes = noiseOf(70_000);
    const ref = await store.store(bytes, storeOptions);
    const resolved = await store.resolve(ref);
    assert.ok(resolved instanceof Uint8Array);
    assert.deepEqual(Buffer.from(resolved), Buffer.from(bytes));
  });

  scenario('a string is stored as UTF-8, every character kept', async ({ store }) => {
    const text = '\uFEFFZeile 1\r\nüñî 漢字 👩‍🚀\u0000\u202E end\n';
    const ref = await store.store(text, { ...storeOptions, mediaType: 'text/plain' });
    assert.equal(Buffer.from(await store.resolve(ref)).toString('utf8'), text);
    assert.equal((await store.stat(ref))?.bytes, Buffer.byteLength(text));
  });

  scenario('an empty blob has zero bytes and the checksum of nothing', async ({ store }) => {
    for (const empty of [new Uint8Array(), '', new Blob([]).stream()]) {
      const ref = await store.store(empty, storeOptions);
      assert.equal((await store.resolve(ref)).byteLength, 0);
      const stat = await store.stat(ref);
      assert.equal(stat?.bytes, 0);
      assert.equal(stat?.sha256, sha256Of(new Uint8Array()));
    }
  });

  scenario('store copies: changing the buffer afterwards changes nothing', async ({ store }) => {
    for (const bytes of [Uint8Array.of(1, 2, 3), Buffer.from([1, 2, 3])]) {
      const ref = await store.store(bytes, storeOptions);
      bytes.fill(9);
      assert.deepEqual([...(await store.resolve(ref))], [1, 2, 3]);
    }
  });

  scenario('resolve copies: changing what it gave changes nothing', async ({ store }) => {
    const ref = await store.store(Uint8Array.of(1, 2, 3), storeOptions);
    (await store.resolve(ref)).fill(9);
    for await (const chunk of await store.open(ref)) chunk.fill(9);
    assert.deepEqual([...(await store.resolve(ref))], [1, 2, 3]);
  });

  scenario('a view of a larger buffer stores only its own part', async ({ store }) => {
    const ref = await store.store(Uint8Array.of(0, 1, 2, 3, 4).subarray(1, 4), storeOptions);
    assert.deepEqual([...(await store.resolve(ref))], [1, 2, 3]);
  });

  scenario('stat tells size, checksum, media type, scope and time without reading', async ({ store, clock }) => {
    const bytes = noiseOf(1_000);
    const mediaType = 'text/csv; charset=utf-8; header=present';
    const ref = await store.store(bytes, { mediaType, scope });
    assert.deepEqual(await store.stat(ref), {
      ref,
      mediaType,
      bytes: 1_000,
      sha256: sha256Of(bytes),
      scope,
      createdAt: clock.now(),
      pins: 0,
    });
  });

  scenario('stat tells the name, the tool and the run that it was stored with', async ({ store }) => {
    const origin = { name: 'Übersicht 2026.csv', tool: 'export_orders', runId: 'run-1' };
    const ref = await store.store('a,b', { ...storeOptions, ...origin });
    const { name, tool, runId } = (await store.stat(ref)) ?? {};
    assert.deepEqual({ name, tool, runId }, origin);
  });

  scenario('each store gives a ref of its own, also for equal content', async ({ store }) => {
    const first = await store.store('same', storeOptions);
    const second = await store.store('same', storeOptions);
    assert.notEqual(first, second);
    await store.delete(first);
    assert.equal(Buffer.from(await store.resolve(second)).toString(), 'same');
  });

  scenario('a hundred stores at once keep their contents apart', async ({ store }) => {
    const contents = Array.from({ length: 100 }, (_, index) => noiseOf(index * 37, index));
    const refs = await Promise.all(contents.map((bytes) => store.store(bytes, storeOptions)));
    assert.equal(new Set(refs).size, 100);
    const resolved = await Promise.all(refs.map((ref) => store.resolve(ref)));
    resolved.forEach((bytes, index) => assert.deepEqual(Buffer.from(bytes), Buffer.from(contents[index] ?? [])));
  });
}
