import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createArgumentDigest } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore, StateIdentity } from '@ravi/kernel';
import { digestKeyFile } from './digest-key.ts';

/** Options of {@link checkStateIdentity}. */
export interface StateIdentityOptions {
  readonly store: Pick<CompleteStateStore, 'identity'>;
  readonly dataFolder: string;
  readonly digestKey: Uint8Array;
  /** True if this start created the key. */
  readonly isNewKey: boolean;
  /** Accepts the store and the key as they are. */
  readonly adopt: boolean;
}

const fileName = 'installation.json';
const keyText = 'the digest key of this installation';
const adoptAdvice = 'or start the server once with --adopt-state to continue with what is there now';

/**
 * Compares the state store and the digest key with those of earlier starts. The first start stores a random id in both the
 * store and the data folder, and a check value of the key in the store.
 * @throws KernelError `E_STATE_CORRUPT` if the store is another one or empty, `E_CONFIG_INVALID` if the key is missing or
 * another one
 */
export async function checkStateIdentity(options: StateIdentityOptions): Promise<void> {
  const { store, dataFolder, digestKey, isNewKey, adopt } = options;
  // A store that ends with its process has no identity.
  if (store.identity === undefined) return;
  const keyCheck = createArgumentDigest(digestKey)(keyText);
  const path = join(dataFolder, fileName);
  const known = await readId(path);
  const stored = await store.identity.get();
  if (adopt) {
    const { id } = await store.identity.set({ id: stored?.id ?? crypto.randomUUID(), keyCheck }, { replace: true });
    return writeId(path, id);
  }
  if (known !== undefined && known !== stored?.id) throw replaced(path, stored);
  const identity = stored ?? (await store.identity.set({ id: crypto.randomUUID(), keyCheck }));
  if (identity.keyCheck !== keyCheck) {
    // A wrong key that stays would hide that the right one is missing.
    if (isNewKey) await rm(join(dataFolder, digestKeyFile), { force: true });
    throw wrongKey(join(dataFolder, digestKeyFile), isNewKey);
  }
  if (known === undefined) await writeId(path, identity.id);
}

function replaced(path: string, stored: StateIdentity | undefined): KernelError {
  const what = stored === undefined ? 'is empty' : 'belongs to another installation';
  return new KernelError(
    'E_STATE_CORRUPT',
    `The state database ${what}, and ${path} says that this installation has stored state. ` +
      `Restore the database from a backup, with its -wal file if it has one, correct plugins.stateStore, ${adoptAdvice}`,
  );
}

function wrongKey(path: string, isMissing: boolean): KernelError {
  const what = isMissing ? 'is missing' : 'is not the key with which the stored runs were recorded';
  return new KernelError(
    'E_CONFIG_INVALID',
    `${path} ${what}, so stored runs could not continue. Restore it from a backup, ${adoptAdvice}`,
  );
}

async function readId(path: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { stateId } = JSON.parse(text) as { readonly stateId?: unknown };
    if (typeof stateId === 'string') return stateId;
  } catch {
    // Reported below, like a file without an id.
  }
  throw new KernelError('E_CONFIG_INVALID', `${path} does not hold an installation id. Restore it, or remove it`);
}

// Renamed into place, so that no process reads half of it.
async function writeId(path: string, stateId: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const draft = `${path}.${crypto.randomUUID()}`;
  await writeFile(draft, `${JSON.stringify({ stateId })}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}
