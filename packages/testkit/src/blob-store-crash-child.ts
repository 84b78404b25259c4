import { randomBytes, randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import { sha256Of, storeOptions } from './blob-store/samples.ts';

/** Orders to a child of `blobStoreCrashTests`, as JSON in its first argument. */
export interface CrashOrders {
  /** Name of the storage, as returned by the contract's `newPlace`. */
  readonly place: string;
  /** `once` does each thing that a store can once, `endless` does them at random until it is killed. */
  readonly scenario: 'once' | 'endless';
  /** The instrumented point at which the child kills itself, from 1; never when absent. */
  readonly killAt?: number;
}

/** Report of a child: its intention before it acts, or a fact after the store has replied. */
export interface CrashReport {
  readonly event: 'stored' | 'unpinning' | 'deleting' | 'deleted' | 'done';
  readonly ref: BlobRef;
  readonly sha256?: string;
}

/** The owner of every pin of a child. */
export const crashPinOwner = 'keeper';

const options = { ...storeOptions, pinOwner: crashPinOwner };

/** Reads the orders of this process. */
export function crashOrders(): CrashOrders {
  return JSON.parse(process.argv[2] ?? '') as CrashOrders;
}

/** To be called at each instrumented point: kills this process, as `kill -9` does, at the one that the orders name. */
export function createCrashPoint({ killAt = Number.POSITIVE_INFINITY }: CrashOrders): () => void {
  let passed = 0;
  return () => {
    passed += 1;
    if (passed === killAt) process.kill(process.pid, 'SIGKILL');
  };
}

/** Uses `store` as the orders say. `largeBytes` is a size that the store does not write in one go. */
export async function runCrashScenario(store: BlobStore, { scenario }: CrashOrders, largeBytes: number): Promise<void> {
  if (scenario === 'once') return useOnce(store, largeBytes);
  for (;;) {
    await Promise.all([0, 1, 2, 3].map((fate) => liveOneBlob(store, randomInt(400_000), fate)));
    await store.sweep(Date.now());
  }
}

async function useOnce(store: BlobStore, largeBytes: number): Promise<void> {
  const unpinned = await liveOneBlob(store, largeBytes, 0);
  const deleted = await liveOneBlob(store, 1_000, 1);
  await liveOneBlob(store, 0, 2);
  const pinnedLater = await store.store('pinned later', { ...options, pinOwner: 'another' });
  await store.pin(pinnedLater, crashPinOwner);
  await store.unpin(pinnedLater, 'another');
  report({ event: 'stored', ref: pinnedLater, sha256: sha256Of('pinned later') });
  await store.sweep(Date.now());
  for (const ref of [unpinned, deleted]) {
    if ((await store.stat(ref)) !== undefined) throw new Error('A blob outlived its end');
  }
  report({ event: 'done', ref: pinnedLater });
}

async function liveOneBlob(store: BlobStore, bytes: number, fate: number): Promise<BlobRef> {
  const content = randomBytes(bytes);
  const ref = await store.store(content, options);
  report({ event: 'stored', ref, sha256: sha256Of(content) });
  if (fate === 0) {
    report({ event: 'unpinning', ref });
    await store.unpin(ref, crashPinOwner);
  }
  if (fate === 1) {
    report({ event: 'deleting', ref });
    await store.delete(ref);
    report({ event: 'deleted', ref });
  }
  return ref;
}

function report(line: CrashReport): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
