import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isBlobRef } from '@ravi/blob-kit';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import { test } from 'vitest';
import { createFsBlobStore } from '../src/index.ts';
import { layoutOf } from '../src/layout.ts';
import type { CrashReport } from './crash-child.ts';
import { createPlaces } from './places.ts';

const newPlace = await createPlaces();
const childPath = fileURLToPath(new URL('crash-child.ts', import.meta.url));
const hourMs = 3_600_000;
const kills = 30;

/** Runs a child on `root` and kills it as soon as it has reported `steps` steps; gives all that it reported. */
async function crash(root: string, steps: number): Promise<CrashReport[]> {
  const child = spawn(process.execPath, [childPath, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const reports: CrashReport[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be cut by the kill.
    if (line.endsWith('}')) reports.push(JSON.parse(line) as CrashReport);
    if (reports.length === steps) child.kill('SIGKILL');
  }
  assert.ok(reports.length >= steps, `the child ended by itself after ${reports.length} steps`);
  return reports;
}

async function visibleRefs(root: string): Promise<BlobRef[]> {
  return (await readdir(layoutOf(root).blobs, { recursive: true }))
    .map((path) => path.split('/')[1] ?? '')
    .filter(isBlobRef);
}

async function checksumOf(store: BlobStore, ref: BlobRef): Promise<string> {
  return createHash('sha256')
    .update(await store.resolve(ref))
    .digest('hex');
}

test('after kills at any point every visible blob is whole, no acknowledged one is lost, and sweep cleans up', async () => {
  const root = newPlace();
  const reports: CrashReport[] = [];
  for (let kill = 0; kill < kills; kill += 2) {
    // Two at a time: they also sweep under each other's hands.
    const pair = [crash(root, 1 + ((kill * 7) % 13)), crash(root, 1 + ((kill * 5) % 11))];
    reports.push(...(await Promise.all(pair)).flat());
  }

  const store = createFsBlobStore({ root });
  const visible = new Set(await visibleRefs(root));
  for (const ref of visible) assert.equal(await checksumOf(store, ref), (await store.stat(ref))?.sha256);

  const refsOf = (...events: readonly CrashReport['event'][]): Set<BlobRef> =>
    new Set(reports.filter(({ event }) => events.includes(event)).map(({ ref }) => ref));
  const doomed = refsOf('unpinning', 'deleting');
  const lasting = reports.filter(({ event, ref }) => event === 'stored' && !doomed.has(ref));
  for (const { ref, sha256 } of lasting) {
    assert.equal(await checksumOf(store, ref), sha256);
    assert.equal((await store.stat(ref))?.pins, 1);
  }
  for (const ref of refsOf('deleted')) assert.ok(!visible.has(ref));

  const left = await readdir(layoutOf(root).incoming);
  assert.ok(left.length > 0, 'no kill fell into a write');
  const pinned = await Promise.all([...visible].map(async (ref) => ((await store.stat(ref))?.pins === 1 ? [ref] : [])));
  const report = await store.sweep(Date.now() + hourMs);
  assert.equal(report.kept, pinned.flat().length);
  assert.deepEqual(new Set(await visibleRefs(root)), new Set(pinned.flat()));
  assert.deepEqual(await readdir(layoutOf(root).incoming), []);
  const names = await readdir(layoutOf(root).blobs, { recursive: true });
  assert.deepEqual(
    names.filter((name) => name.includes('.gone')),
    [],
  );
}, 120_000);
