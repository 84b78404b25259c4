/** Languages a sandbox may run. */
export type SandboxLanguage = 'javascript' | 'python';

/**
 * Every limit that a sandbox can enforce. Most of them end a run. Three reach the script first, as errors that it can
 * catch: `stack` (a `RangeError` or `RecursionError` where recursion is too deep, with the code `E_LIMIT_STACK` once it
 * leaves the script), `call-input` and `call-output` (the call rejects with `E_LIMIT_CALL_INPUT` or
 * `E_LIMIT_CALL_OUTPUT`).
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

/** The limits whose breach ends a run. */
export type EndingLimit = Exclude<SandboxLimit, 'stack' | 'call-input' | 'call-output'>;

/** What a sandbox promises; the contract suite checks both sides. */
export interface SandboxSupport {
  readonly languages: readonly SandboxLanguage[];
  /** What stands between the guest and the host. `none` is no security boundary. */
  readonly isolation: 'none' | 'isolate' | 'process' | 'container';
  readonly limits: readonly SandboxLimit[];
  /** Reports a script that waits for nothing at once, instead of at its time limit. */
  readonly detectsDeadlock: boolean;
  /** Languages whose scripts find the files of a request at their paths; none when absent. */
  readonly files?: readonly SandboxLanguage[];
}

/** Limits of one run. Times in milliseconds, sizes in bytes. */
export interface SandboxLimits {
  /** From start to end, without the time that `humanWaitMs` reports. */
  readonly wallTimeMs: number;
  readonly cpuTimeMs: number;
  readonly memoryBytes: number;
  readonly maxConsoleBytes: number;
  readonly maxResultBytes: number;
  /** Bridge calls of the whole run. */
  readonly maxCalls: number;
  /** Bridge calls at once; further ones queue in the guest. */
  readonly maxInFlight: number;
  /** The code of the script, the prelude aside; as much as the sandbox carries when absent. */
  readonly maxSourceBytes?: number;
  /** What one bridge call gives the host; as much as the sandbox carries when absent. */
  readonly maxCallInputBytes?: number;
  /** What one bridge call brings the guest; as much as the sandbox carries when absent. */
  readonly maxCallOutputBytes?: number;
}

/** A call out of the guest. Both strings are chosen by the guest: hostile until checked. */
export interface BridgeCall {
  readonly op: string;
  /** Text in whatever form prelude and host agreed on; JSON as a rule. */
  readonly payload: string;
}

/** A line that the script wrote to its console. */
export interface ConsoleLine {
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  readonly text: string;
}

/** A file that is there before a script reads it. */
export interface SandboxFile {
  /** Absolute, below `/workspace/`. */
  readonly path: string;
  readonly bytes: number;
  /** The content. A file whose content cannot be had, or for which there is no room, is left out. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** One script to run. */
export interface SandboxRequest {
  readonly language: SandboxLanguage;
  /**
   * JavaScript: the body of an async function; `return` gives the value. Python: a module that may `return` and `await`
   * at its top; without `return` its last expression or its variable `result` is the value. Line and column of errors
   * refer to it.
   */
  readonly code: string;
  /**
   * Runs before the code. JavaScript: the body of a function with the parameter `host`
   * (`{ call(op, payload): Promise<string> }`), which returns the names to define for the code. Python: a module with
   * `host` (`call(op, payload)` gives the answer, `start` an awaitable one) that puts those names into a dict `names`; its
   * `check(tree, source)`, if there is one, sees the syntax tree before any of the code runs, and its `finish()` runs
   * after the code. A function with `__start__` is started by that where a script hands its result on.
   */
  readonly prelude: string;
  /** Only where {@link SandboxSupport.files} names the language. Nothing that the script does to them reaches the host. */
  readonly files?: readonly SandboxFile[];
  readonly limits: SandboxLimits;
  /** Who the run is for; a guest process is never handed to another principal. */
  readonly principal: string;
  /** Answers a call with text. A rejection reaches the guest as `{ name, message, code }` and nothing more. */
  bridge(call: BridgeCall, options: { readonly signal: AbortSignal }): Promise<string>;
  onConsole(line: ConsoleLine): void;
  /** Milliseconds that humans have taken so far, charged to nobody. */
  humanWaitMs?(): number;
  /** Ends guest and bridge calls. */
  readonly signal?: AbortSignal;
}

/** An error of the guest in plain data. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** 1-based position in `code`, when the guest knew it. */
  readonly line?: number;
  readonly column?: number;
}

/** How a run ended. A sandbox rejects only for its own faults (`E_SANDBOX_UNAVAILABLE`), never for the guest's. */
export type SandboxOutcome = { readonly durationMs: number; readonly consoleDroppedBytes: number } & (
  | { readonly status: 'ok'; /** JSON text; absent for `undefined`. */ readonly value?: string }
  | { readonly status: 'error'; readonly error: GuestError }
  | { readonly status: 'limit'; readonly limit: EndingLimit; readonly message: string }
  | { readonly status: 'deadlock'; readonly message: string }
  | { readonly status: 'crashed'; readonly message: string }
  | { readonly status: 'cancelled' }
);

/** Runs code that nobody trusts, outside the host process. One guest serves one run. */
export interface Sandbox extends AsyncDisposable {
  readonly name: string;
  readonly supports: SandboxSupport;
  /**
   * @throws KernelError `E_UNSUPPORTED` for a language it does not run and for files it cannot place,
   * `E_SANDBOX_UNAVAILABLE` when it cannot run anything
   */
  run(request: SandboxRequest): Promise<SandboxOutcome>;
}
