import type { InvokerSession } from '@ravi/invoker';
import type { InvocationResult, JsonObject, ModelMessage, RunContext } from '@ravi/kernel';
import type { AgentResult } from './agent-result.ts';
import type { ReActAgent } from './react-agent.ts';

/** How a sub-agent is started. */
export interface SpawnOptions {
  /** Higher goes first where model calls wait for each other; 0 when absent. */
  readonly priority?: number;
  /** The call that the sub-agent works for. */
  readonly parentCallId?: string;
  /** Ends the sub-agent alone. */
  readonly signal?: AbortSignal;
}

/** The run that middleware and tools find themselves in. */
export interface AgentContext extends RunContext {
  readonly agent: string;
  /** Answers asked for so far, the current one included. */
  readonly step: number;
  /** How deep the agent stands under others; 0 for the one that was started from outside. */
  readonly depth: number;
  readonly messages: readonly ModelMessage[];
  /** Calls a tool through the invoker, with every gate. */
  tool(name: string, args: JsonObject): Promise<InvocationResult>;
  /** Starts another agent under this run and gives its run id; it may use what this one may, and its budget. @throws KernelError `E_BUDGET_EXHAUSTED` when no more agents may be started */
  spawn(agent: ReActAgent, task: string, options?: SpawnOptions): string;
  /** Waits for a sub-agent. @throws KernelError `E_STATE_INVALID` for an id that `spawn` did not give */
  join(runId: string): Promise<AgentResult>;
  /** Ends the run after what is under way; the answer that is being written is void. `guardrail` names what tripped. */
  stop(reason: string, options?: { readonly guardrail?: string }): void;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  uuid(): string;
}

// The invoker knows no agent, so the loop keeps what connects the two.
const contexts = new WeakMap<InvokerSession, AgentContext>();

/** Makes `context` the agent run whose calls pass through `session`. */
export function setAgentContext(session: InvokerSession, context: AgentContext): void {
  contexts.set(session, context);
}

/** Returns the agent run whose calls pass through `session`; `undefined` for the session of a script or a caller without agent. */
export function agentContextOf(session: InvokerSession): AgentContext | undefined {
  return contexts.get(session);
}
