import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { BlobStoreScenario } from './blob-store-contract.ts';
import { storeOptions } from './samples.ts';

const hostileRefs: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '/',
  '/etc/passwd',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  'C:\\Windows\\win.ini',
  'file:///etc/passwd',
  '%2e%2e%2fetc%2fpasswd',
  'blob_',
  'blob_\u0000',
  'blob_../../../etc/passwd',
  `blob_${'0'.repeat(31)}/`,
  `blob_${'a'.repeat(1_000_000)}`,
  'blob_漢字漢字漢字漢字',
  '\u202Egnp.bolb',
  '__proto__',
  'constructor',
  'toString',
];

/** Refs that no store issued, including some that try to leave the store. */
export function refCases(scenario: BlobStoreScenario): void {
  scenario('a ref that is unknown or malformed is not found, and harms nothing', async ({ store, clock }) => {
    const kept = await store.store('kept', { ...storeOptions, pinOwner: 'run-1' });
    const variants = [
      `${kept}x`,
      `${kept}/..`,
      `${kept}\n`,
      `./${kept}`,
      ` ${kept}`,
      kept.slice(0, -1),
      flipLast(kept),
    ];
    const isNotFound = (error: unknown): boolean => isKernelError(error, 'E_BLOB_NOT_FOUND');
    for (const ref of [...hostileRefs, ...variants]) {
      const shown = JSON.stringify(ref.slice(0, 40));
      await assert.rejects(store.resolve(ref), isNotFound, shown);
      await assert.rejects(store.open(ref, { offset: 1 }), isNotFound, shown);
      await assert.rejects(store.pin(ref, 'run-1'), isNotFound, shown);
      assert.equal(await store.stat(ref), undefined, shown);
      await store.unpin(ref, 'run-1');
      await store.delete(ref);
    }
    assert.deepEqual(await store.sweep(clock.now()), { removed: 0, kept: 1, freedBytes: 0 });
    assert.equal(Buffer.from(await store.resolve(kept)).toString(), 'kept');
  });

  scenario('the error for a hostile ref is short and shows no control character', async ({ store }) => {
    const error: unknown = await store.resolve(`\u001B[2J\n${'x'.repeat(100_000)}`).catch((reason: unknown) => reason);
    assert.ok(isKernelError(error, 'E_BLOB_NOT_FOUND'));
    assert.ok(error.message.length < 300);
    assert.doesNotMatch(error.message, /[\u0000-\u001F]/);
  });

  scenario('refs cannot be guessed: long, all different, and safe in a URL', async ({ store }) => {
    const refs = await Promise.all(Array.from({ length: 50 }, () => store.store('same', storeOptions)));
    assert.equal(new Set(refs).size, refs.length);
    for (const ref of refs) assert.match(ref, /^[\w-]{22,128}$/);
    const differing = refs.map((ref, index) => differences(ref, refs[index - 1] ?? refs[1] ?? ''));
    assert.ok(Math.min(...differing) >= 12, `two refs differ in ${Math.min(...differing)} places only`);
  });
}

/** A ref of the same form that differs in its last character. */
function flipLast(ref: string): string {
  return ref.slice(0, -1) + (ref.endsWith('0') ? '1' : '0');
}

function differences(left: string, right: string): number {
  return left.split('').filter((character, index) => character !== right[index]).length;
}
