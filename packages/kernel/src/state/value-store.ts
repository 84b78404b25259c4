import type { JsonValue } from '../base/json.ts';
import type { Principal } from '../base/run-context.ts';

/** Place of a value. */
export interface ValuePlace {
  /** Use of the value, for example `tool-definitions`. 1 to 64 lower-case letters, digits and hyphens. */
  readonly area: string;
  /** Owner; an empty text for a value of the installation. */
  readonly principal: Principal;
  /** 1 to 500 characters without control characters. */
  readonly key: string;
}

/** Stored value with its revision. */
export interface StoredValue {
  readonly key: string;
  readonly value: JsonValue;
  /** Grows with each change of the value. */
  readonly revision: number;
}

/** Small values that outlive a process, such as accepted tool definitions and encrypted credentials. Each has at most 1 MiB of JSON. */
export interface ValueStore {
  get(place: ValuePlace): Promise<StoredValue | undefined>;
  /**
   * Stores a value and returns its revision. With `ifRevision` it does so only if the stored value has this revision, 0 for none;
   * otherwise it returns `undefined` and changes nothing.
   */
  put(place: ValuePlace, value: JsonValue, options?: { readonly ifRevision?: number }): Promise<number | undefined>;
  /** Removes a value; `false` if there is none, or it has another revision than `ifRevision`. */
  delete(place: ValuePlace, options?: { readonly ifRevision?: number }): Promise<boolean>;
  /** Returns the values of an area and an owner, by key. */
  list(place: Pick<ValuePlace, 'area' | 'principal'>): Promise<readonly StoredValue[]>;
}

/**
 * Area of the scratchpads of live runs that are stored. The key is the id of the run, the owner its principal. The end of a run
 * removes its value: see `RunStore.transition`.
 */
export const scratchpadArea: string = 'run-scratchpads';

/** Values that are encrypted where they are stored. The key belongs to the installation and is not in the store. */
export type SecretStore = Omit<ValueStore, 'list'>;
