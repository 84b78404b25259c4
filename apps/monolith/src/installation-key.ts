import type { Logger, StateStore } from '@ravi/kernel';
import { digestKeyOf, loadDigestKey } from './digest-key.ts';
import { claimState, storedKey } from './state-identity.ts';

/** Options of {@link createInstallationKey}. */
export interface InstallationKeyOptions {
  readonly dataFolder: string;
  /** The variable `RAVI_DIGEST_KEY`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** True for a process that ties a new state store to this installation. Others only read. */
  readonly claimsState: boolean;
  /** Accepts the state store and the key as they are. */
  readonly adopt: boolean;
}

/** Finds the digest key of an installation with a state store, or without one. Every call returns the first result. */
export type InstallationKey = (store: StateStore | undefined) => Promise<Uint8Array>;

/**
 * Creates the function that finds the digest key of this process: the one in `RAVI_DIGEST_KEY`, else the one in the state
 * store, else the file in the data folder. It rejects with a `KernelError` as {@link claimState} and {@link loadDigestKey}.
 */
export function createInstallationKey(options: InstallationKeyOptions): InstallationKey {
  let found: Promise<Uint8Array> | undefined;
  return (store) => (found ??= findKey(store, options));
}

async function findKey(store: StateStore | undefined, options: InstallationKeyOptions): Promise<Uint8Array> {
  const { dataFolder, env, claimsState } = options;
  const given = digestKeyOf(env);
  const identity = store?.identity;
  // A store that ends with its process has no identity.
  if (identity === undefined) return given ?? loadDigestKey(dataFolder);
  if (claimsState) return claimState({ ...options, store: identity, given });
  return given ?? storedKey(await identity.get()) ?? loadDigestKey(dataFolder);
}
