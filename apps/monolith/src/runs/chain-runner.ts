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

/** One script to run in a session of its own. */
export interface ChainRequest {
  /** TypeScript or JavaScript, as a model wrote it. */
  readonly code: string;
  /** `javascript`, TypeScript included, when absent. */
  readonly language?: SandboxLanguage;
  /** What the script finds in `input`. */
  readonly input?: JsonObject;
  /** The only tools that may be called; absent means all. */
  readonly allowedTools?: readonly string[];
  /** Replaces single fields of the process's policy. */
  readonly policy?: Partial<ChainPolicy>;
  /** `local` when absent. */
  readonly principal?: Principal;
  readonly signal?: AbortSignal;
  readonly onProgress?: ProgressSink;
}

/** Runs a script; what goes wrong inside it is part of the result. */
export type ChainRunner = (request: ChainRequest) => Promise<ChainRunResult>;

/** Options of {@link createChainRunner}. */
export interface ChainRunnerOptions {
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  readonly preflight: Preflight | false;
  /** Ends every script when it aborts. */
  readonly lifetime: AbortSignal;
}

/** A runner that ends every script when the process shuts down. */
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
