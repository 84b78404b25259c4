import { sessionOf } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import type { AgentRunContext, ContentBlock, RunWriter, ToolContext } from '@ravi/kernel';
import type { AgentResult } from './agent-result.ts';

/** Task of a run: text, or content blocks with media. */
export type AgentTask = string | readonly ContentBlock[];

/** An agent that can run as a sub-agent: a `ReActAgent`. Other objects are rejected with a `TypeError`. */
export interface Agent {
  readonly name: string;
  readonly description: string | undefined;
  run(task: AgentTask): Promise<AgentResult>;
}

/** Options of a sub-agent. */
export interface SpawnOptions {
  /** Model calls with a higher priority run first when a `Supervision` makes them wait; default 0. */
  readonly priority?: number;
  /** Id of the call that the sub-agent works for. */
  readonly parentCallId?: string;
  /**
   * True if the operator granted the sub-agent its tools: it may then call tools that its caller may not. By default it may call only
   * tools that its caller may call.
   */
  readonly hasOwnTools?: boolean;
  /** Cancels only the sub-agent. */
  readonly signal?: AbortSignal;
}

/** The current run, as middleware and tools of an agent see it. */
export interface AgentContext extends AgentRunContext {
  /**
   * Number of history entries that `messages` consists of, joined by `joinMessages`; `undefined` if some of the
   * messages are not stored.
   */
  readonly historyLength: number | undefined;
  /** Names this process to a state store, which refuses it once another process has the run. Absent without a lease. */
  readonly writer?: RunWriter | undefined;
  /**
   * Starts a sub-agent and returns its run id. It may use the tools that this run may use, and spends this run's budget.
   * @throws KernelError `E_BUDGET_EXHAUSTED` if a limit of the supervision is reached
   */
  spawn(agent: Agent, task: string, options?: SpawnOptions): string;
  /** Waits for a sub-agent. @throws KernelError `E_STATE_INVALID` for an id that `spawn` did not return */
  join(runId: string): Promise<AgentResult>;
}

const key: unique symbol = Symbol('agent run of a session');

// A property, not a WeakMap: each run has a session of its own, and a WeakMap with young keys slows every collection.
interface AgentSession extends InvokerSession {
  [key]?: AgentContext;
}

/** Makes `run` the agent run whose calls pass through `session`. */
export function setAgentContext(session: InvokerSession, run: AgentContext): void {
  const agentSession: AgentSession = session;
  agentSession[key] = run;
}

/** Returns the run whose model called the tool; `undefined` for a call of a script or without an agent. */
export function agentContextOf(context: ToolContext): AgentContext | undefined {
  const session = sessionOf(context);
  return session === undefined ? undefined : agentRunOf(session);
}

/** Returns the agent run whose calls pass through `session`, not through a session around it. */
export function agentRunOf(session: InvokerSession): AgentContext | undefined {
  return (session as AgentSession)[key];
}
