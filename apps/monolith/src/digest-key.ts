import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';

const keyBytes = 32;

/** Name of the file of the key in the data folder. */
export const digestKeyFile = 'digest.key';

/** Returns true if the key of an installation exists. */
export function hasDigestKey(dataFolder: string): boolean {
  return existsSync(join(dataFolder, digestKeyFile));
}

/**
 * Loads the key of this installation's argument digests. The first start creates it, readable by its owner only. A stored
 * key keeps digests comparable across restarts.
 * @throws KernelError `E_CONFIG_INVALID` if the folder is not writable or the file does not hold a key
 */
export async function loadDigestKey(dataFolder: string): Promise<Uint8Array> {
  const path = join(dataFolder, digestKeyFile);
  try {
    const key = (await readKey(path)) ?? (await createKey(dataFolder, path));
    if (key.byteLength === keyBytes) return key;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new KernelError('E_CONFIG_INVALID', `The data folder ${dataFolder} cannot be used (${code})`, { cause });
  }
  throw new KernelError(
    'E_CONFIG_INVALID',
    `${path} does not hold a key of ${keyBytes} bytes; restore it, or remove it to get a new one`,
  );
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

// Written to a draft and linked into place: of two processes that start at once one wins, and none reads half a key.
async function createKey(dataFolder: string, path: string): Promise<Uint8Array> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, randomBytes(keyBytes), { mode: 0o600, flag: 'wx' });
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return await readFile(path);
  } finally {
    await rm(draft, { force: true });
  }
}
