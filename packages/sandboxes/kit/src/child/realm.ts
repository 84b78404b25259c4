/** Why a guest could not go on. */
export type RealmFault =
  | { readonly kind: 'syntax'; readonly message: string; readonly line: number; readonly column: number }
  | { readonly kind: 'limit'; readonly limit: 'cpu' | 'memory' }
  | { readonly kind: 'crash'; readonly message: string };

/** The functions of the guest runtime that take and give text. */
export type RealmTextEntry = 'limit' | 'deliver' | 'drain' | 'fire' | 'flush';

/** The functions of the guest runtime that take a function of the guest. */
export type RealmCodeEntry = 'prelude' | 'script';

/** One guest in a child process: a fresh global scope with the runtime in it. Each adapter brings its own. */
export interface Realm {
  /**
   * Compiles `source`, an expression that gives a function, and hands that function to the runtime. `columnOffset`
   * shifts the columns of the first line.
   */
  load(entry: RealmCodeEntry, source: string, fileName: string, columnOffset: number): string | RealmFault;
  /**
   * Calls the runtime, then runs promise jobs until none is left. A `crash` from an entry that runs user code may be no
   * more than a rejection that nobody handles.
   */
  call(entry: RealmTextEntry, text: string): string | RealmFault;
  /** Where the runtime sends frames while user code runs. */
  connect(send: (frame: string) => void): void;
  /** How much processor time the guest may use from now on, in milliseconds. */
  allowCpu(timeMs: number): void;
  dispose(): void;
}

/** Opens a realm; the first argument is the guest runtime. */
export type OpenRealm = (guestSource: string, memoryBytes: number) => Realm;
