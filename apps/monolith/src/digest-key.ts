import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';

/** Length of a digest key. */
export const keyBytes = 32;

/** Name of the file of the key in the data folder. */
export const digestKeyFile = 'digest.key';

/** Variable with the digest key, as 64 hexadecimal digits. */
export const digestKeyVariable = 'RAVI_DIGEST_KEY';

/** Returns the key that the environment has. @throws KernelError `E_CONFIG_INVALID` if the variable does not hold a key */
export function digestKeyOf(env: Readonly<Record<string, string | undefined>>): Uint8Array | undefined {
  const text = env[digestKeyVariable]?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  throw new KernelError(
    'E_CONFIG_INVALID',
    `${digestKeyVariable} does not hold a key of ${keyBytes} bytes as ${2 * keyBytes} hexadecimal digits, it has ${text.length} characters; create one with "openssl rand -hex 32"`,
  );
}

/**
 * Loads the key in the data folder. The first start creates it, readable by its owner only. A stored key keeps digests
 * comparable across restarts.
 * @throws KernelError `E_CONFIG_INVALID` if the folder is not writable or the file does not hold a key
 */
export async function loadDigestKey(dataFolder: string): Promise<Uint8Array> {
  return (await readDigestKey(dataFolder)) ?? (await writeDigestKey(dataFolder, randomBytes(keyBytes)));
}

/**
 * Returns the key in the data folder; `undefined` if there is none.
 * @throws KernelError `E_CONFIG_INVALID` if the folder cannot be read or the file does not hold a key
 */
export async function readDigestKey(dataFolder: string): Promise<Uint8Array | undefined> {
  const path = join(dataFolder, digestKeyFile);
  let key: Uint8Array;
  try {
    key = await readFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(dataFolder, cause);
  }
  if (key.byteLength === keyBytes) return key;
  throw new KernelError(
    'E_CONFIG_INVALID',
    `${path} does not hold a key of ${keyBytes} bytes; restore it, or remove it to get a new one`,
  );
}

/**
 * Writes a key into the data folder unless there is one, and returns the one that is there then. It is written to a draft and
 * linked into place: of two processes that do so at once one wins, and none reads half a key.
 * @throws KernelError `E_CONFIG_INVALID` if the folder is not writable
 */
export async function writeDigestKey(dataFolder: string, key: Uint8Array): Promise<Uint8Array> {
  const path = join(dataFolder, digestKeyFile);
  const draft = `${path}.${randomUUID()}`;
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    await writeFile(draft, key, { mode: 0o600, flag: 'wx' });
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (cause) {
    throw unusable(dataFolder, cause);
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
  return (await readDigestKey(dataFolder)) ?? key;
}

function unusable(dataFolder: string, cause: unknown): KernelError {
  const { code } = cause as NodeJS.ErrnoException;
  return new KernelError('E_CONFIG_INVALID', `The data folder ${dataFolder} cannot be used (${code})`, { cause });
}
