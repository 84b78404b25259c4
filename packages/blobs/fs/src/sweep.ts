import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlobRef, isExpired } from '@ravi/blob-kit';
import { isKernelError } from '@ravi/kernel';
import type { BlobRef, SweepOptions, SweepReport } from '@ravi/kernel';
import { unlessMissing } from './errors.ts';
import { contentPath, goneSuffix, readMetadata } from './layout.ts';
import type { Layout } from './layout.ts';
import { closePins, removeAbandonedPins } from './pins.ts';
import { removeBlob, removeFolder } from './durable.ts';

/** Input of {@link sweep}. */
export interface SweepRequest {
  readonly layout: Layout;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A write without progress for this many milliseconds was left by a crash. */
  readonly orphanAgeMs: number;
  /** Writes of this process. They are never orphans, even if their source is silent for long. */
  readonly writing: ReadonlySet<BlobRef>;
  readonly options: SweepOptions;
}

/** Removes expired and unpinned blobs, then the remains of crashes. Other processes may use the same root meanwhile. */
export async function sweep(request: SweepRequest): Promise<SweepReport> {
  const { layout, now, options } = request;
  let removed = 0;
  let kept = 0;
  let freedBytes = 0;
  for (const shard of await namesIn(layout.blobs)) {
    for (const name of await namesIn(join(layout.blobs, shard))) {
      const folder = join(layout.blobs, shard, name);
      if (name.endsWith(goneSuffix)) await removeFolder(folder);
      if (!isBlobRef(name)) continue;
      const bytes = await contentBytes(folder);
      if (!(await mayRemove(folder, name, now, options))) kept += 1;
      else if (await removeBlob(folder)) {
        removed += 1;
        freedBytes += bytes;
      }
    }
  }
  return { removed, kept, freedBytes: freedBytes + (await removeOrphans(request)) };
}

async function mayRemove(folder: string, ref: BlobRef, now: number, options: SweepOptions): Promise<boolean> {
  if ((await hasExpired(folder, ref, now)) || (await closePins(folder))) return true;
  return (await removeAbandonedPins(folder, options)) && closePins(folder);
}

async function hasExpired(folder: string, ref: BlobRef, now: number): Promise<boolean> {
  try {
    const metadata = await readMetadata(folder, ref);
    return metadata !== undefined && isExpired(metadata, now);
  } catch (error) {
    // Damaged metadata has no expiry: the pins alone decide, so that the owner can still see the damage.
    if (isKernelError(error, 'E_BLOB_CORRUPT')) return false;
    throw error;
  }
}

/** Removes unfinished writes of crashed processes. Returns the number of freed bytes. */
async function removeOrphans({ layout, now, orphanAgeMs, writing }: SweepRequest): Promise<number> {
  let freedBytes = 0;
  for (const name of await namesIn(layout.incoming)) {
    if (!isBlobRef(name) || writing.has(name)) continue;
    const folder = layout.incomingOf(name);
    const bytes = await contentBytes(folder);
    if (now - (await lastChange(folder)) < orphanAgeMs) continue;
    await removeFolder(folder);
    freedBytes += bytes;
  }
  return freedBytes;
}

/** Returns when the folder or its content was last written, in milliseconds since the epoch; 0 if both are gone. */
async function lastChange(folder: string): Promise<number> {
  const stats = await Promise.all([folder, contentPath(folder)].map((path) => unlessMissing(stat(path))));
  return Math.max(0, ...stats.map((entry) => entry?.mtimeMs ?? 0));
}

async function contentBytes(folder: string): Promise<number> {
  return (await unlessMissing(stat(contentPath(folder))))?.size ?? 0;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}
