import { readFile, stat } from 'node:fs/promises';

/** Longest time to read one file, because a file of a network may never arrive. */
const maxReadMs = 10_000;

/**
 * Returns why a path must not be read: only regular files up to `maxBytes` may. Reading a pipe or a device may never end.
 * `missing` if there is nothing at the path.
 */
export async function problemWithFile(path: string, maxBytes: number): Promise<'missing' | string | undefined> {
  const entry = await stat(path).catch(() => undefined);
  if (entry === undefined) return 'missing';
  if (!entry.isFile()) return 'is not a regular file';
  return entry.size > maxBytes ? `is larger than ${maxBytes} bytes` : undefined;
}

/** Reads a regular file as text; see {@link problemWithFile}. */
export async function readRegularFile(
  path: string,
  maxBytes: number,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const problem = await problemWithFile(path, maxBytes);
  if (problem !== undefined) return { problem };
  try {
    return { text: await readFile(path, { encoding: 'utf8', signal: AbortSignal.timeout(maxReadMs) }) };
  } catch {
    return { problem: 'cannot be read' };
  }
}
