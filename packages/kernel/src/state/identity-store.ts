/** Facts that tie a state store to the installation that uses it. */
export interface StateIdentity {
  /** Random id, which the installation also keeps outside the store. */
  readonly id: string;
  /** Digest of a fixed text with the digest key of the installation. */
  readonly keyCheck: string;
}

/** Stores one identity, so that a server notices that its state or its digest key was replaced. */
export interface IdentityStore {
  /** Returns the identity; `undefined` in a new store. */
  get(): Promise<StateIdentity | undefined>;
  /**
   * Stores an identity and returns the stored one. Of several processes that do so at once the first succeeds, and all of them
   * get its identity. With `replace` the new one always succeeds.
   */
  set(identity: StateIdentity, options?: { readonly replace?: boolean }): Promise<StateIdentity>;
}
