import { invokerOf, sessionOf } from '@ravi/invoker';
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
import { KernelError } from '@ravi/kernel';
import type { ApproveMode } from './set/call-set.ts';
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
  /** `each` when absent. */
  readonly approve?: ApproveMode;
}

/** Parts of a tool that its scripts need. */
export interface ScriptParts {
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  /** Checks scripts before they run; `false` disables the check. Defaults to the check of this process. */
  readonly preflight?: Preflight | false;
}

/** Options of {@link RunWithin}. */
export interface RunWithinOptions extends Pick<SessionOptions, 'onProgress'> {
  /** Parts of a tool of a sub-agent; those of the durable chains when absent. */
  readonly parts?: ScriptParts;
}

/** Runs the script of a call as a run below the run of the call. See `DurableChains.runWithin`. */
export type RunWithin = (
  context: ToolContext,
  script: ScriptOfCall,
  options?: RunWithinOptions,
) => Promise<(ChainRunResult & { readonly runId: string }) | undefined>;

/** Options of tools that run a script. */
export interface ScriptToolOptions extends ScriptParts {
  readonly policy?: Partial<ChainPolicy>;
  /**
   * Makes the scripts of agents durable: a script that an agent with `runs`, `history` and `process` calls is a
   * run of its own below the run of the agent. The process that recovers the agent resumes the script from its journal.
   * Its store must be the one of the agent. A sub-agent that works with the parts of its caller uses those of its caller.
   */
  readonly chains?: { readonly runWithin: RunWithin };
}

/** Runs the script of a tool's call: durably if possible, else in this process only. */
export async function runScriptOfCall(
  { policy, chains, ...own }: ScriptToolOptions,
  context: ToolContext,
  source: Omit<ScriptOfCall, 'policy'>,
): Promise<ChainRunResult> {
  const { sandbox, preflight } = own;
  const invoker = invokerWithin(own.invoker, context);
  const limits = policy === undefined ? {} : { policy };
  const onProgress = (event: ProgressEvent): void => forward(event, context);
  const lent = chains === undefined ? chainsOfLender(invoker) : undefined;
  const runWithin = chains?.runWithin ?? lent;
  const parts =
    lent === undefined ? {} : { parts: { invoker, sandbox, ...(preflight === undefined ? {} : { preflight }) } };
  const durable = await runWithin?.(context, { ...source, ...limits }, { onProgress, ...parts });
  if (durable !== undefined) return durable;
  const { allowedTools, approve, ...script } = source;
  if (approve === 'set') {
    const message = 'Calls can be approved together only in a run that a state store keeps: leave out approve';
    throw new KernelError('E_UNSUPPORTED', message);
  }
  return runChain({
    ...script,
    ...limits,
    invoker,
    sandbox,
    signal: context.signal,
    session: { ...sessionWithin(context), ...(allowedTools === undefined ? {} : { allowedTools }), onProgress },
    ...(preflight === undefined ? {} : { preflight }),
  });
}

// The tool of a sub-agent was created with an invoker that its caller has adopted since.
function invokerWithin(own: ToolInvoker, context: ToolContext): ToolInvoker {
  const current = invokerOf(context);
  return current?.registry === own.registry ? current : own;
}

const chainsByInvoker = new WeakMap<ToolInvoker, RunWithin>();

/** Makes durable the scripts of sub-agents whose callers use this invoker. */
export function lendChains(invoker: ToolInvoker, runWithin: RunWithin): void {
  chainsByInvoker.set(invoker, runWithin);
}

function chainsOfLender({ lender }: ToolInvoker): RunWithin | undefined {
  return lender === undefined ? undefined : (chainsByInvoker.get(lender) ?? chainsOfLender(lender));
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
