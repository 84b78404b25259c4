import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns every file under `root`, not its folders. */
export async function filesUnder(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}
