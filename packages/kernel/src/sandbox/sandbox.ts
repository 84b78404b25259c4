/** Language of a script. */
export type SandboxLanguage = 'javascript' | 'python';

/**
 * Every limit that a sandbox can enforce. Most of them end a run. Three are errors that the script can catch: `stack` (a
 * `RangeError` or `RecursionError` when recursion is too deep, with the code `E_LIMIT_STACK` once it leaves the script),
 * `call-input` and `call-output` (the call rejects with `E_LIMIT_CALL_INPUT` or `E_LIMIT_CALL_OUTPUT`).
 */
export const sandboxLimits = [
  'wall',
  'cpu',
  'memory',
  'stack',
  'source',
  'console',
  'result',
  'calls',
  'in-flight',
  'call-input',
  'call-output',
] as const;

/** One of the {@link sandboxLimits}. */
export type SandboxLimit = (typeof sandboxLimits)[number];

/** Limits that end a run when they are exceeded. */
export type EndingLimit = Exclude<SandboxLimit, 'stack' | 'call-input' | 'call-output'>;

/** Capabilities of a sandbox. The contract suite reads and verifies them. */
export interface SandboxSupport {
  readonly languages: readonly SandboxLanguage[];
  /** Boundary between guest and host. `none` is not a security boundary. */
  readonly isolation: 'none' | 'isolate' | 'process' | 'container';
  readonly limits: readonly SandboxLimit[];
  /** True if a script that waits for nothing is reported at once instead of at its time limit. */
  readonly detectsDeadlock: boolean;
  /** Languages whose scripts can read the files of a request at their paths. Default: none. */
  readonly files?: readonly SandboxLanguage[];
  /**
   * Languages for whose requests it calls `onTurnEnd`. Durable scripts need it: they are replayed turn by turn. Default:
   * none.
   */
  readonly marksTurns?: readonly SandboxLanguage[];
}

/** Limits of one run. Times in milliseconds, sizes in bytes. */
export interface SandboxLimits {
  /** Time from start to end, without the time that `humanWaitMs` returns. */
  readonly wallTimeMs: number;
  readonly cpuTimeMs: number;
  readonly memoryBytes: number;
  readonly maxConsoleBytes: number;
  readonly maxResultBytes: number;
  /** Maximum number of bridge calls of the run. */
  readonly maxCalls: number;
  /** Maximum number of concurrent bridge calls. Further calls queue in the guest. */
  readonly maxInFlight: number;
  /** Maximum size of the code without the prelude. Default: the maximum of the sandbox. */
  readonly maxSourceBytes?: number;
  /** Maximum size of the payload of a bridge call. Default: the maximum of the sandbox. */
  readonly maxCallInputBytes?: number;
  /** Maximum size of the reply to a bridge call. Default: the maximum of the sandbox. */
  readonly maxCallOutputBytes?: number;
}

/** Call from the guest to the host. The guest chooses both strings, so treat them as hostile. */
export interface BridgeCall {
  readonly op: string;
  /** Text in a format that prelude and host agree on, usually JSON. */
  readonly payload: string;
}

/** Line that a script wrote to its console. */
export interface ConsoleLine {
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  readonly text: string;
}

/** File that a script can read. */
export interface SandboxFile {
  /** Absolute, below `/workspace/`. */
  readonly path: string;
  readonly bytes: number;
  /** Returns the content. A file that cannot be read, or does not fit, is left out. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** Script to run, with its limits and its connection to the host. */
export interface SandboxRequest {
  readonly language: SandboxLanguage;
  /**
   * JavaScript: the body of an async function that returns the value. Python: a module that may `return` and `await` at its
   * top level; without `return`, the value is its last expression or its variable `result`. Line and column of errors refer
   * to this text.
   */
  readonly code: string;
  /**
   * Runs before the code. JavaScript: the body of a function with the parameter `host`
   * (`{ call(op, payload): Promise<string> }`), which returns the names to define for the code. Python: a module with
   * `host` (`call(op, payload)` returns the reply, `start` an awaitable reply) that stores those names in a dict `names`.
   * Its optional `check(tree, source)` receives the syntax tree before any of the code runs, its optional `begin()` runs
   * before the code, and its optional `finish()` after it. Where a script passes the result of a function on, the function's `__start__` is called if it has
   * one.
   */
  readonly prelude: string;
  /** Allowed only if {@link SandboxSupport.files} includes the language. Changes by the script do not reach the host. */
  readonly files?: readonly SandboxFile[];
  readonly limits: SandboxLimits;
  /** Principal of the run. A guest process never serves two principals. */
  readonly principal: string;
  /** Replies to a call with text. A rejection reaches the guest as `{ name, message, code }` only. */
  bridge(call: BridgeCall, options: { readonly signal: AbortSignal }): Promise<string>;
  onConsole(line: ConsoleLine): void;
  /**
   * Called when the guest has handled every reply that was sent to it and waits for the next one. The host has then received
   * every call of this turn, however many frames they took.
   */
  onTurnEnd?(): void;
  /** Returns the milliseconds spent so far on waiting for people. They do not count against `wallTimeMs`. */
  humanWaitMs?(): number;
  /** Ends the guest and its bridge calls. */
  readonly signal?: AbortSignal;
}

/** Error of the guest as plain data. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** 1-based position in `code`, if the guest reports it. */
  readonly line?: number;
  readonly column?: number;
}

/** Outcome of a run. A sandbox rejects only for its own failures (`E_SANDBOX_UNAVAILABLE`), not for those of the guest. */
export type SandboxOutcome = { readonly durationMs: number; readonly consoleDroppedBytes: number } & (
  | { readonly status: 'ok'; /** JSON text; absent for `undefined`. */ readonly value?: string }
  | { readonly status: 'error'; readonly error: GuestError }
  | { readonly status: 'limit'; readonly limit: EndingLimit; readonly message: string }
  | { readonly status: 'deadlock'; readonly message: string }
  | { readonly status: 'crashed'; readonly message: string }
  | { readonly status: 'cancelled' }
);

/** Runs untrusted code outside the host process. One guest serves one run. */
export interface Sandbox extends AsyncDisposable {
  readonly name: string;
  readonly supports: SandboxSupport;
  /**
   * Runs one script.
   * @throws KernelError `E_UNSUPPORTED` for a language or files that it does not support, `E_SANDBOX_UNAVAILABLE` when it
   * cannot run scripts
   */
  run(request: SandboxRequest): Promise<SandboxOutcome>;
}
