import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createArgumentDigest } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { IdentityStore, Logger, StateIdentity } from '@ravi/kernel';
import { digestKeyFile, digestKeyVariable, keyBytes, readDigestKey, writeDigestKey } from './digest-key.ts';

/** Options of {@link claimState}. */
export interface ClaimStateOptions {
  readonly store: IdentityStore;
  readonly dataFolder: string;
  /** Key of the environment, which is not stored. */
  readonly given: Uint8Array | undefined;
  /** Accepts the store and the key as they are. */
  readonly adopt: boolean;
  readonly logger: Logger;
}

const fileName = 'installation.json';
const keyText = 'the digest key of this installation';
const adoptAdvice = 'or start the server once with --adopt-state to continue with what is there now';

/**
 * Compares the state store with that of earlier starts, and returns the digest key that all servers of the store share. The
 * first start stores a random id in both the store and the data folder. Without a `given` key it stores the key too: that of
 * the data folder, else a new one. Of several first starts at once one decides. The data folder then has a copy of the key.
 * @throws KernelError `E_STATE_CORRUPT` if the store is another one or empty, or its key is damaged; `E_CONFIG_INVALID` if
 * the key is missing or another one
 */
export async function claimState(options: ClaimStateOptions): Promise<Uint8Array> {
  const { store, dataFolder, given, adopt, logger } = options;
  const path = join(dataFolder, fileName);
  const known = await readId(path);
  const stored = await store.get();
  if (!adopt && known !== undefined && known !== stored?.id) throw replaced(path, stored);

  const local = await readDigestKey(dataFolder);
  const own = given ?? (stored && storedKey(stored)) ?? local ?? newKey(options, stored);
  const identity = await settle(options, stored, identityOf(own, options, stored));
  const key = given ?? storedKey(identity) ?? own;
  if (identity.keyCheck !== checkOf(key)) throw wrongKey(options, identity);
  if (known !== identity.id) await writeId(path, identity.id);
  if (given === undefined) await keepCopy(dataFolder, { key, local, logger });
  return key;
}

/** Returns the key in an identity, if it has one. @throws KernelError `E_STATE_CORRUPT` */
export function storedKey(identity: StateIdentity | undefined): Uint8Array | undefined {
  if (identity?.digestKey === undefined) return undefined;
  const key = Buffer.from(identity.digestKey, 'base64');
  if (key.byteLength === keyBytes && identity.keyCheck === checkOf(key)) return key;
  throw new KernelError(
    'E_STATE_CORRUPT',
    `The digest key in the state database is damaged. Restore the database from a backup, or set ${digestKeyVariable} to the key`,
  );
}

function checkOf(key: Uint8Array): string {
  return createArgumentDigest(key)(keyText);
}

// Stored runs need their own key; a new one would hide that it is missing.
function newKey(options: ClaimStateOptions, stored: StateIdentity | undefined): Uint8Array {
  if (stored === undefined || options.adopt) return randomBytes(keyBytes);
  throw wrongKey(options, stored);
}

function identityOf(key: Uint8Array, { given }: ClaimStateOptions, stored: StateIdentity | undefined): StateIdentity {
  const id = stored?.id ?? crypto.randomUUID();
  const keyCheck = checkOf(key);
  if (given !== undefined) return { id, keyCheck, isKeyOutside: true };
  return { id, keyCheck, digestKey: Buffer.from(key).toString('base64') };
}

/** Returns the identity that counts: the stored one, unless it is new, replaced on purpose, or of a version that stored no key. */
async function settle(
  { store, given, adopt }: ClaimStateOptions,
  stored: StateIdentity | undefined,
  own: StateIdentity,
): Promise<StateIdentity> {
  if (adopt) return store.set(own, { replace: true });
  if (stored === undefined) return store.set(own);
  const lacksKey = stored.digestKey === undefined && stored.isKeyOutside !== true && given === undefined;
  return lacksKey && stored.keyCheck === own.keyCheck ? store.set(own, { replace: true }) : stored;
}

// Commands that open no store use the copy.
async function keepCopy(
  dataFolder: string,
  { key, local, logger }: { readonly key: Uint8Array; readonly local: Uint8Array | undefined; readonly logger: Logger },
): Promise<void> {
  const copy = local ?? (await writeDigestKey(dataFolder, key));
  if (timingSafeEqual(copy, key)) return;
  const file = join(dataFolder, digestKeyFile);
  logger.warn('the data folder holds another digest key than the state store, which counts; remove the file', { file });
}

function replaced(path: string, stored: StateIdentity | undefined): KernelError {
  const what = stored === undefined ? 'is empty' : 'belongs to another installation';
  return new KernelError(
    'E_STATE_CORRUPT',
    `The state database ${what}, and ${path} says that this installation has stored state. ` +
      `Restore the database from a backup, with its -wal file if it has one, correct plugins.stateStore, ${adoptAdvice}`,
  );
}

function wrongKey({ dataFolder, given }: ClaimStateOptions, identity: StateIdentity): KernelError {
  const path = join(dataFolder, digestKeyFile);
  const isOther = 'is not the key with which the stored runs were recorded, so they could not continue';
  if (given !== undefined) {
    const fix = identity.digestKey === undefined ? 'Set it to that key' : 'Remove it to use the key in the state store';
    return invalid(`${digestKeyVariable} ${isOther}. ${fix}, ${adoptAdvice}`);
  }
  if (identity.isKeyOutside === true) {
    return invalid(
      `The digest key of this installation is kept outside the state store, and ${path} does not have it. ` +
        `Set ${digestKeyVariable} as on the other servers, ${adoptAdvice}`,
    );
  }
  return invalid(
    `The state store has no digest key yet, and ${path} is missing or ${isOther}. Restore it from a backup, ` +
      `copy it from another server, ${adoptAdvice}`,
  );
}

function invalid(message: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', message);
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
