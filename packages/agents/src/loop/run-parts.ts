import type { InvokerSession } from '@ravi/invoker';
import type { ModelUsage } from '@ravi/kernel';
import type { SpawnOptions } from './agent-context.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AgentEventSink } from './agent-event.ts';
import type { AgentResult } from './agent-result.ts';
import type { AgentRun } from './agent-run.ts';
import type { Budget } from './budget.ts';
import type { Conversation } from './conversation.ts';
import type { ReActAgent } from './react-agent.ts';

/** What a run starts with. */
export interface AgentRunParts {
  readonly definition: AgentDefinition;
  readonly session: InvokerSession;
  readonly conversation: Conversation;
  readonly budget: Budget | undefined;
  readonly emit: AgentEventSink | undefined;
  readonly priority: number;
  readonly parent: AgentRun | undefined;
  /** Starts an agent under this run. */
  readonly startChild: (
    parent: AgentRun,
    agent: ReActAgent,
    task: string,
    options: ChildOptions,
  ) => Promise<AgentResult>;
  /** What is asked, for lists of runs; absent after a pause. */
  readonly title: string | undefined;
  /** The part before a pause, or before its process ended. */
  readonly before: RunBefore | undefined;
}

/** What a run had done when it stopped. */
export interface RunBefore {
  readonly steps: number;
  readonly usage: ModelUsage;
  /** It was taken over from a process that ended: the run store has it as running, by us. */
  readonly isTaken?: boolean;
}

/** How a sub-agent is started by a run. */
export interface ChildOptions extends SpawnOptions {
  readonly runId: string;
}
