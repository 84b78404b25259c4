// Stores, unpins, deletes and sweeps without end, and reports each step on stdout until it is killed.
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createFsBlobStore } from '../src/index.ts';
import { options } from './samples.ts';

/** What the child reports: an intention before it acts, a fact after the store has answered. */
export interface CrashReport {
  readonly event: 'stored' | 'unpinning' | 'deleting' | 'deleted';
  readonly ref: string;
  readonly sha256?: string;
}

function report(line: CrashReport): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const root = process.argv[2];
if (root === undefined) throw new TypeError('The root of the store is missing');
const store = createFsBlobStore({ root });

async function liveOneBlob(fate: number): Promise<void> {
  const content = randomBytes(randomInt(400_000));
  const ref = await store.store(content, { ...options, pinOwner: 'keeper' });
  report({ event: 'stored', ref, sha256: createHash('sha256').update(content).digest('hex') });
  if (fate === 0) {
    report({ event: 'unpinning', ref });
    await store.unpin(ref, 'keeper');
  }
  if (fate === 1) {
    report({ event: 'deleting', ref });
    await store.delete(ref);
    report({ event: 'deleted', ref });
  }
}

for (;;) {
  await Promise.all([0, 1, 2, 3].map(liveOneBlob));
  await store.sweep(Date.now());
}
