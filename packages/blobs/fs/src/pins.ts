import { open, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { abandonedPins, pinNameOf, pinNamesOf } from '@ravi/blob-kit';
import type { SweepOptions } from '@ravi/kernel';
import { fileMode, syncFolder } from './durable.ts';
import { isSystemError, unlessMissing } from './errors.ts';
import { pinsPath } from './layout.ts';

/** Adds the pin of `owner` to the blob in `folder`. Returns `false` if the blob is missing or being removed. */
export async function addPin(folder: string, owner: string): Promise<boolean> {
  const file = await unlessMissing(open(pinPath(folder, owner), 'a', fileMode));
  if (file === undefined) return false;
  await file.close();
  await unlessMissing(syncFolder(pinsPath(folder)));
  return true;
}

/** Removes the pin of `owner`, if there is one. */
export async function removePin(folder: string, owner: string): Promise<void> {
  for (const name of pinNamesOf(owner)) await unlessMissing(unlink(join(pinsPath(folder), name)));
}

/** Returns how many owners pin the blob in `folder`. */
export async function countPins(folder: string): Promise<number> {
  const pins = await unlessMissing(readdir(pinsPath(folder)));
  return pins?.length ?? 0;
}

/** Removes the pins of abandoned owners. Returns true if it removed any. */
export async function removeAbandonedPins(folder: string, options: SweepOptions): Promise<boolean> {
  if (options.isAbandoned === undefined) return false;
  const names = await abandonedPins((await unlessMissing(readdir(pinsPath(folder)))) ?? [], options);
  for (const name of names) await unlessMissing(unlink(join(pinsPath(folder), name)));
  return names.size > 0;
}

/**
 * Closes the blob in `folder` for pins. Returns `false` if an owner pins it. The system removes only an empty folder
 * and creates no file in a removed one, so of two processes either the one that pins or the one that removes succeeds,
 * never both.
 */
export async function closePins(folder: string): Promise<boolean> {
  try {
    await unlessMissing(rmdir(pinsPath(folder)));
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

function pinPath(folder: string, owner: string): string {
  return join(pinsPath(folder), pinNameOf(owner));
}
