/** Keys that a running call holds, with those of the calls around it. */
export class HeldKeys {
  static #count = 0;
  readonly keys: readonly string[];
  /** Keys of the call around it. */
  readonly outer: HeldKeys | undefined;
  readonly #id = ++HeldKeys.#count;

  constructor(keys: readonly string[], outer: HeldKeys | undefined) {
    this.keys = keys;
    this.outer = outer;
  }

  /**
   * Returns the lock for a key that a call inside this one needs. If a call around it holds the key, the calls inside that call
   * only wait for each other.
   */
  lockFor(key: string): string {
    if (this.keys.includes(key)) return `${key}\n${this.#id}`;
    return this.outer?.lockFor(key) ?? key;
  }
}

/** Keys that the running calls of one session hold. */
export class SessionKeys {
  readonly #outer: HeldKeys | undefined;
  #calls: Map<string, HeldKeys> | undefined;

  /** `outer` is held by the call inside which the session was opened. */
  constructor(outer: HeldKeys | undefined) {
    this.#outer = outer;
  }

  /** Returns the keys that are held around the calls inside `callId`, or around those of the session. */
  within(callId: string | undefined): HeldKeys | undefined {
    return (callId === undefined ? undefined : this.#calls?.get(callId)) ?? this.#outer;
  }

  begin(callId: string, held: HeldKeys): void {
    this.#calls ??= new Map();
    this.#calls.set(callId, held);
  }

  end(callId: string): void {
    this.#calls?.delete(callId);
  }
}
