import type { ConsoleLine } from './chain.ts';

/** Languages a sandbox may run. */
export type SandboxLanguage = 'javascript' | 'python';

/** The limits that a sandbox may enforce by itself. */
export type SandboxLimit = 'wall' | 'cpu' | 'memory' | 'console' | 'result' | 'calls' | 'in-flight';

/** What a sandbox promises; the contract suite checks both sides. */
export interface SandboxSupport {
  readonly languages: readonly SandboxLanguage[];
  /** What stands between the guest and the host. `none` is no security boundary. */
  readonly isolation: 'none' | 'isolate' | 'process' | 'container';
  readonly limits: readonly SandboxLimit[];
  /** Reports a script that waits for nothing at once, instead of at its time limit. */
  readonly detectsDeadlock: boolean;
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
}

/** A call out of the guest. Both strings are chosen by the guest: hostile until checked. */
export interface BridgeCall {
  readonly op: string;
  /** Text in whatever form prelude and host agreed on; JSON as a rule. */
  readonly payload: string;
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
   * `finish()`, if there is one, runs after the code. A function with `__start__` is started by that where a script
   * hands its result on.
   */
  readonly prelude: string;
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
  | { readonly status: 'limit'; readonly limit: SandboxLimit; readonly message: string }
  | { readonly status: 'deadlock'; readonly message: string }
  | { readonly status: 'crashed'; readonly message: string }
  | { readonly status: 'cancelled' }
);

/** Runs code that nobody trusts, outside the host process. One guest serves one run. */
export interface Sandbox extends AsyncDisposable {
  readonly name: string;
  readonly supports: SandboxSupport;
  /** @throws KernelError `E_UNSUPPORTED` for a language it does not run, `E_SANDBOX_UNAVAILABLE` when it cannot run anything */
  run(request: SandboxRequest): Promise<SandboxOutcome>;
}
