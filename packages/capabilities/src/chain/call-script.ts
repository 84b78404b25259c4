import { sessionOf } from '@ravi/invoker';
import type { SessionOptions, ToolInvoker } from '@ravi/invoker';
import type {
  ChainPolicy,
  ChainRunResult,
  JsonObject,
  ProgressEvent,
  Sandbox,
  SandboxLanguage,
  ToolContext,
} from '@ravi/kernel';
import type { Preflight } from '../preflight/preflight.ts';
import { runChain } from './run-chain.ts';

/** A script that a tool runs. */
export interface ScriptOfCall {
  readonly code: string;
  readonly language: SandboxLanguage;
  /** The value of `input` in the script. */
  readonly input?: JsonObject;
  readonly policy?: Partial<ChainPolicy>;
  /** The only tools that may be called; absent means all that the call itself may use. */
  readonly allowedTools?: readonly string[];
}

/** Runs the script of a call as a run below the run of the call. See `DurableChains.runWithin`. */
export type RunWithin = (
  context: ToolContext,
  script: ScriptOfCall,
  progress?: Pick<SessionOptions, 'onProgress'>,
) => Promise<(ChainRunResult & { readonly runId: string }) | undefined>;

/** Options of tools that run a script. */
export interface ScriptToolOptions {
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  readonly policy?: Partial<ChainPolicy>;
  /** Checks scripts before they run; `false` disables the check. Defaults to the check of this process. */
  readonly preflight?: Preflight | false;
  /**
   * Makes the scripts of agents durable: a script in JavaScript that an agent with `runs`, `history` and `lease` calls is a
   * run of its own below the run of the agent. The process that recovers the agent resumes the script from its journal.
   * Its store must be the one of the agent.
   */
  readonly chains?: { readonly runWithin: RunWithin };
}

/** Runs the script of a tool's call: durably if possible, else in this process only. */
export async function runScriptOfCall(
  { invoker, sandbox, policy, preflight, chains }: ScriptToolOptions,
  context: ToolContext,
  source: Omit<ScriptOfCall, 'policy'>,
): Promise<ChainRunResult> {
  const own = policy === undefined ? {} : { policy };
  const onProgress = (event: ProgressEvent): void => forward(event, context);
  // Scripts in Python are not replayed.
  const runWithin = source.language === 'javascript' ? chains?.runWithin : undefined;
  const durable = await runWithin?.(context, { ...source, ...own }, { onProgress });
  if (durable !== undefined) return durable;
  const { allowedTools, ...script } = source;
  return runChain({
    ...script,
    ...own,
    invoker,
    sandbox,
    signal: context.signal,
    session: { ...sessionWithin(context), ...(allowedTools === undefined ? {} : { allowedTools }), onProgress },
    ...(preflight === undefined ? {} : { preflight }),
  });
}

// Same run, conversation and principal. A script is not allowed more than the session that calls it.
function sessionWithin(context: ToolContext): SessionOptions {
  const { runId, sessionId, principal, callId } = context;
  const parent = sessionOf(context);
  return { runId, sessionId, principal, parentCallId: callId, ...(parent === undefined ? {} : { parent }) };
}

function forward(event: ProgressEvent, context: ToolContext): void {
  if (event.type === 'tool-call') context.progress({ message: `${event.tool} …` });
  if (event.type === 'tool-result') context.progress({ message: `${event.tool}: ${event.status}` });
}
