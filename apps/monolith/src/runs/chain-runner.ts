import type { ToolInvoker } from '@ravi/invoker';
import { runChain } from '@ravi/capabilities';
import type { Preflight } from '@ravi/capabilities';
import type {
  ChainPolicy,
  ChainRunResult,
  JsonObject,
  Principal,
  ProgressSink,
  Sandbox,
  SandboxLanguage,
} from '@ravi/kernel';

/** A script to run in a session of its own. */
export interface ChainRequest {
  /** TypeScript or JavaScript, as a model wrote it. */
  readonly code: string;
  /** Default: `javascript`, which includes TypeScript. */
  readonly language?: SandboxLanguage;
  /** Value of `input` in the script. */
  readonly input?: JsonObject;
  /** Tools that may be called. Default: all. */
  readonly allowedTools?: readonly string[];
  /** Overrides fields of the process's policy. */
  readonly policy?: Partial<ChainPolicy>;
  /** Default: `local`. */
  readonly principal?: Principal;
  readonly signal?: AbortSignal;
  readonly onProgress?: ProgressSink;
}

/** Runs a script. Its errors are part of the result. */
export type ChainRunner = (request: ChainRequest) => Promise<ChainRunResult>;

/** Options of {@link createChainRunner}. */
export interface ChainRunnerOptions {
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  readonly preflight: Preflight | false;
  /** Ends every script when it aborts. */
  readonly lifetime: AbortSignal;
}

/** Creates a runner that ends every script when the process shuts down. */
export function createChainRunner({ invoker, sandbox, preflight, lifetime }: ChainRunnerOptions): ChainRunner {
  return ({ code, language, input, policy = {}, signal, ...session }) =>
    runChain({
      code,
      policy,
      ...(language === undefined ? {} : { language }),
      ...(input === undefined ? {} : { input }),
      invoker,
      sandbox,
      preflight,
      session,
      signal: signal === undefined ? lifetime : AbortSignal.any([lifetime, signal]),
    });
}
