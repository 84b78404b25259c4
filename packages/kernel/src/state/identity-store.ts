/** Facts that tie a state store to the installation that uses it. */
export interface StateIdentity {
  /** Random id, which the installation also keeps outside the store. */
  readonly id: string;
  /** Digest of a fixed text with the digest key of the installation. */
  readonly keyCheck: string;
  /** The digest key in base64, for every process that shares the store. Absent if it is kept elsewhere. */
  readonly digestKey?: string;
  /** True if the key is kept outside the store on purpose, so that no process stores it. */
  readonly isKeyOutside?: boolean;
}

/** Stores one identity, so that all servers have one digest key, and notice that it or their state was replaced. */
export interface IdentityStore {
  /** Returns the identity; `undefined` in a new store. */
  get(): Promise<StateIdentity | undefined>;
  /**
   * Stores an identity and returns the stored one. Of several processes that do so at once the first succeeds, and all of them
   * get its identity. With `replace` the new one always succeeds.
   */
  set(identity: StateIdentity, options?: { readonly replace?: boolean }): Promise<StateIdentity>;
}
