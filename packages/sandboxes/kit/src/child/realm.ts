/** Reason why a guest cannot continue. */
export type RealmFault =
  | { readonly kind: 'syntax'; readonly message: string; readonly line: number; readonly column: number }
  | { readonly kind: 'limit'; readonly limit: 'cpu' | 'memory' }
  | { readonly kind: 'crash'; readonly message: string };

/** Functions of the guest runtime that take and return text. */
export type RealmTextEntry = 'limit' | 'deliver' | 'drain' | 'fire' | 'flush';

/** Functions of the guest runtime that take a function of the guest. */
export type RealmCodeEntry = 'prelude' | 'script';

/** One guest in a child process: a new global scope with the runtime in it. Each adapter implements its own. */
export interface Realm {
  /**
   * Compiles `source`, an expression whose value is a function, and passes that function to the runtime. `columnOffset`
   * shifts the columns of the first line.
   */
  load(entry: RealmCodeEntry, source: string, fileName: string, columnOffset: number): string | RealmFault;
  /**
   * Calls the runtime, then runs promise jobs until none is left. A `crash` from an entry that runs user code may be only
   * an unhandled rejection.
   */
  call(entry: RealmTextEntry, text: string): string | RealmFault;
  /** Sets the function with which the runtime sends frames while user code runs. */
  connect(send: (frame: string) => void): void;
  /** Sets the processor time that the guest may use from now on, in milliseconds. */
  allowCpu(timeMs: number): void;
  dispose(): void;
}

/** Opens a realm; the first argument is the guest runtime. */
export type OpenRealm = (guestSource: string, memoryBytes: number) => Realm;
