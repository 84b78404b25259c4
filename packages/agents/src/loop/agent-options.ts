import type { HookManager, InvokerSession, ToolInvoker } from '@ravi/invoker';
import type {
  AnyTool,
  ApprovalHandler,
  BlobStore,
  ChainPolicy,
  Clock,
  HistoryStore,
  JobStore,
  Journal,
  JsonSchema,
  Logger,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  Principal,
  RunStore,
  Skill,
  StandardSchema,
  ToolRegistry,
} from '@ravi/kernel';
import type { Supervision } from '../supervision/supervision.ts';
import type { AgentContext } from './agent-context.ts';
import type { BudgetLimits } from './budget.ts';
import type { HistoryView } from './compaction.ts';
import type { AgentMiddleware } from './middleware.ts';
import type { PriceTable } from './prices.ts';

/** The final answer as a value. */
export interface AgentOutput {
  readonly schema: JsonSchema | StandardSchema;
  readonly name?: string;
  readonly description?: string;
  /** How often the model is told what is wrong and asked again; 2 when absent. */
  readonly retries?: number;
}

/** Ends a run after the calls of a step; a true answer stops it. */
export type StopCondition = (context: AgentContext) => boolean | Promise<boolean>;

/** What every request of an agent says beside its conversation. */
export type RequestDefaults = Omit<ModelRequest, 'system' | 'messages' | 'tools' | 'output'>;

/** What an agent makes its own invoker of; not allowed beside `invoker`. */
export interface InvokerParts {
  readonly approvalHandler?: ApprovalHandler;
  readonly artifactStore?: BlobStore;
  readonly policy?: Partial<ChainPolicy>;
  readonly hooks?: HookManager;
  readonly journal?: Journal;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** How a process holds the runs that it works on, so that another goes on with them only when it is gone. */
export interface RunLeasing {
  /** A name that no other process has, new for each start of a process. */
  readonly owner: string;
  /** Milliseconds that a run is held without a sign of life; 10 000 when absent. */
  readonly leaseMs?: number;
}

/** Options of a {@link ReActAgent}. */
export interface AgentOptions extends InvokerParts {
  /** For events, logs and, as a tool of another agent, its name there. */
  readonly name: string;
  /** What it is good at, for an agent that may hand work to it. */
  readonly description?: string;
  readonly model: ModelProvider;
  /**
   * A list becomes a Toolbox. Beside `invoker`, tools that its registry lacks are added to it, and the agent may call
   * those of the list alone.
   */
  readonly tools?: readonly AnyTool[] | ToolRegistry;
  /** The one invoker of the process; without it the agent makes its own. */
  readonly invoker?: ToolInvoker;
  /** The first part of the system prompt. */
  readonly system?: string;
  /** Answers that one run may ask for; 32 when absent. */
  readonly maxSteps?: number;
  /** How often an answer that failed retryably is asked for again; 2 when absent. */
  readonly modelRetries?: number;
  readonly request?: RequestDefaults;
  readonly output?: AgentOutput;
  readonly budget?: BudgetLimits;
  readonly prices?: PriceTable;
  readonly skills?: readonly Skill[];
  readonly middleware?: readonly AgentMiddleware[];
  readonly stopWhen?: readonly StopCondition[];
  /** What the model sees of a long conversation; all of it when absent. */
  readonly view?: HistoryView;
  /** A call that runs longer than this many milliseconds goes on as a job. */
  readonly promoteAfterMs?: number;
  /** Keeps every message as it happens. A session's conversation is then read from it. */
  readonly history?: HistoryStore;
  /** Knows which runs there are, and lets a paused one go on exactly once. */
  readonly runs?: RunStore;
  /** With `runs` and `history`: runs outlive the process, and another one goes on with them by `recover`. */
  readonly lease?: RunLeasing;
  /** Keeps jobs beyond their run. */
  readonly jobs?: JobStore;
  /** Bounds the agents under this one. */
  readonly supervision?: Supervision;
}

/** How one task is run. */
export interface RunOptions {
  /** A random one when absent. */
  readonly runId?: string;
  /** The conversation; a new one when absent. */
  readonly sessionId?: string;
  /** `local` when absent. */
  readonly principal?: Principal;
  readonly signal?: AbortSignal;
  /** Earlier messages, when no history store has them. */
  readonly messages?: readonly ModelMessage[];
  /** The only tools that may be called in this run. */
  readonly allowedTools?: readonly string[];
  readonly policy?: Partial<ChainPolicy>;
  /** Bounds of this run; those of the agent hold beside them. */
  readonly budget?: BudgetLimits;
  /** A session to run inside of: ids, principal, grants, scratchpad and files are its own, and its restrictions hold. */
  readonly session?: InvokerSession;
}
