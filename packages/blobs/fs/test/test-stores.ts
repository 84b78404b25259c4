import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreOptions } from '@ravi/kernel';

/** Store options for tests about something else. */
export const options: StoreOptions = {
  mediaType: 'application/octet-stream',
  scope: { principal: 'user:ada', sessionId: 'session-1' },
};

/** Returns every file under `root`, not its folders. */
export async function filesUnder(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}
