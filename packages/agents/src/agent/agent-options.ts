import type { KeptProcess } from '../process/kept-process.ts';
import type { HookManager, ToolInvoker, ToolRuleLists, InvokerSession, ScratchpadStore } from '@ravi/invoker';
import type {
  AnyTool,
  ApprovalHandler,
  BlobStore,
  ChainPolicy,
  Clock,
  ExpiryPolicy,
  HistoryStore,
  HistoryView,
  JobStore,
  Journal,
  JsonSchema,
  Kit,
  Logger,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  Principal,
  RunInputStore,
  RunStore,
  Skill,
  StandardSchema,
  ToolRegistry,
  ToolSkill,
} from '@ravi/kernel';
import type { Supervision } from '../supervision/supervision.ts';
import type { AgentContext } from './agent-context.ts';
import type { BudgetLimits } from './budget.ts';
import type { AgentMiddleware } from './middleware.ts';
import type { RecoveryStores } from './paused-run.ts';
import type { PriceTable } from './usage.ts';

/** Limit of the tools that are declared to the model. */
export interface ToolBudget {
  /**
   * Tokens, estimated from above. While all tools fit, all are declared. Otherwise half of the rest is for tools in the order of the
   * registry, and the other half for those that the model has discovered; the ones discovered first make room.
   */
  readonly maxTokens: number;
  /** True for tools that are always declared, such as those that find others. */
  keeps?(tool: string): boolean;
}

/** Requests the final answer as a value. */
export interface AgentOutput {
  readonly schema: JsonSchema | StandardSchema;
  readonly name?: string;
  readonly description?: string;
  /** Times that an answer which does not fit is sent back with the problem; default 2. */
  readonly retries?: number;
}

/** Checked after the calls of each step; `true` stops the run. */
export type StopCondition = (context: AgentContext) => boolean | Promise<boolean>;

/** Fields of every model request of an agent, except the conversation. */
export type RequestDefaults = Omit<ModelRequest, 'system' | 'messages' | 'tools' | 'output'>;

/** Options of the invoker that an agent creates; not allowed together with `invoker`. */
export interface InvokerParts {
  readonly approvalHandler?: ApprovalHandler;
  readonly artifactStore?: BlobStore;
  readonly policy?: Partial<ChainPolicy>;
  readonly hooks?: HookManager;
  readonly journal?: Journal;
  /** Values of the state store: with `process`, the scratchpad of a run survives its pauses and its process. */
  readonly scratchpads?: ScratchpadStore;
  /**
   * Key of argument digests, at least 32 bytes; random when absent. With the same key in every process, a tool can `reconcile` a call
   * of an earlier one.
   */
  readonly digestKey?: Uint8Array;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Behaviour while a call waits for approval: the run stays in memory, or it is stored until the decision. */
export type ApprovalMode = 'wait' | 'pause';

/** Options of a {@link ReActAgent}. */
export interface AgentOptions extends InvokerParts {
  /** Name in events and logs, and the default name as a tool of another agent. */
  readonly name: string;
  /** Description for agents that may delegate work to this one. */
  readonly description?: string;
  readonly model: ModelProvider;
  /**
   * An array becomes a Toolbox. Together with `invoker`, tools that are missing in its registry are added to it, and the
   * agent may call only the tools of the array.
   */
  readonly tools?: readonly AnyTool[] | ToolRegistry;
  /**
   * Patterns of the tools that the agent may call, also of those that the registry receives later. The tools of the loop itself,
   * such as `ask_user`, need no pattern. A function is asked at each call, so that its lists also count for runs that work already;
   * it returns the same object while they are the same.
   */
  readonly toolRules?: ToolRuleLists | (() => ToolRuleLists);
  /**
   * Limit of the tools that one request declares; no limit by default. Tools above it are deferred: the model finds them with the tools of
   * `createDiscoveryTools`, with `infoTool` or with the tool search of its provider, and may then call them.
   */
  readonly toolBudget?: ToolBudget;
  /** Folder in which its runs work, as an absolute path; by default that of the run around them. */
  readonly cwd?: string;
  /** An invoker to share; by default the agent creates its own. */
  readonly invoker?: ToolInvoker;
  /** First part of the system prompt. */
  readonly system?: string;
  /** Maximum number of steps of one run; default 32. */
  readonly maxSteps?: number;
  /**
   * Retries after a retryable failure of the model; default 4. Waits are random up to a bound that doubles from one second
   * (full jitter), and at least as long as the provider asks. The provider itself does not retry.
   */
  readonly modelRetries?: number;
  /** Longest wait before a retry, in milliseconds; default 60 000. If the provider asks for more, the run fails. */
  readonly maxModelRetryDelayMs?: number;
  readonly request?: RequestDefaults;
  readonly output?: AgentOutput;
  readonly budget?: BudgetLimits;
  readonly prices?: PriceTable;
  readonly skills?: readonly Skill[];
  /**
   * Skills that are active from the first step of each run to its last; the model cannot deactivate them. With several, and with
   * active ones, each must allow a tool.
   */
  readonly imposedSkills?: readonly Skill[];
  /** Steps over several tools; the model reads a kit while it may call a tool for each of its needs. */
  readonly kits?: readonly Kit[];
  /** Advice about tools; the model reads it while it may call the tool. */
  readonly toolSkills?: readonly ToolSkill[];
  readonly middleware?: readonly AgentMiddleware[];
  readonly stopWhen?: readonly StopCondition[];
  /** Selects what the model sees of a long conversation; default all of it. */
  readonly view?: HistoryView;
  /**
   * By default the model summarizes the beginning of a conversation before a request comes near the size of its context, and once after
   * it has refused a request as too long. The summary is stored with the conversation, which itself does not change, and its tokens
   * count in the budget. `false` sends every request as it is.
   */
  readonly compaction?: false | CompactionLimits;
  /** Milliseconds after which a running call becomes a job; by default calls do not become jobs. */
  readonly promoteAfterMs?: number;
  /** Stores every message as it happens. The conversation of a session is then loaded from it. */
  readonly history?: HistoryStore;
  /** Stores runs and their status. A paused run is then resumed exactly once. */
  readonly runs?: RunStore;
  /**
   * With `runs` and `history`: another process can continue the runs with `recover`, once this one is dead. Made by `keepProcess`, one for
   * each start of the process; the caller disposes it.
   */
  readonly process?: KeptProcess;
  /** Inputs that users send to running runs. Each is read before the next request to the model. Needs `process`. */
  readonly inputs?: RunInputStore;
  /**
   * `pause`: a run in which everything waits for approvals is stored with the status `paused`, and `recover` continues it
   * after a decision. Needs `process`. Default `wait`.
   */
  readonly approvals?: ApprovalMode;
  /** Milliseconds that approvers of a pausing run have for a decision; default seven days, at most 24.8 days. */
  readonly approvalExpiryMs?: number;
  /**
   * Policy for a request that is not decided in time. `deny` (default): the model reads `E_APPROVAL_EXPIRED`, which it can
   * tell from a denial. `park`: the request stays open and the run paused, also with `approvals: 'wait'`, until a person decides
   * or cancels the run. Needs `process`.
   */
  readonly onApprovalExpiry?: ExpiryPolicy;
  /** Stores jobs beyond the end of their run. */
  readonly jobs?: JobStore;
  /** Limits the sub-agents of this agent. */
  readonly supervision?: Supervision;
}

/** Limits of the requests of an agent, in estimated tokens. */
export interface CompactionLimits {
  /** Length of a request, with system prompt and tools, above which the beginning of the conversation is summarized. Default: 80 % of the context of the model. */
  readonly maxTokens?: number;
  /** Tokens at the end of the conversation that stay unchanged; at most and by default half of what system prompt and tools leave. */
  readonly keepTokens?: number;
}

/** Options of one run. */
export interface RunOptions {
  /** Default: a random id. */
  readonly runId?: string;
  /** Id of the conversation; default: a new one. */
  readonly sessionId?: string;
  /** Default: `local`. */
  readonly principal?: Principal;
  readonly signal?: AbortSignal;
  /** Earlier messages, if no history store has them. */
  readonly messages?: readonly ModelMessage[];
  /** Only these tools may be called in this run. */
  readonly allowedTools?: readonly string[];
  readonly policy?: Partial<ChainPolicy>;
  /** Limits of this run, in addition to those of the agent. */
  readonly budget?: BudgetLimits;
  /** Replaces `approvals` of the agent for this run. */
  readonly approvals?: ApprovalMode;
  /** Parent session: the run uses its ids, principal, grants, scratchpad and files, and keeps its restrictions. */
  readonly session?: InvokerSession;
}

/** Options of a run that continues after a pause. */
export interface ResumeOptions extends Pick<RunOptions, 'signal' | 'allowedTools' | 'policy' | 'budget' | 'approvals'> {
  /** Stores from which the sub-agents and jobs of a run with a process continue, as for `recover`. */
  readonly stores?: RecoveryStores;
}

/** Returns a condition that stops the run after a step in which one of these tools was called. */
export function whenCalled(...tools: readonly string[]): StopCondition {
  return ({ messages }) => {
    const response = messages.findLast((message) => message.role === 'assistant');
    return response?.content.some((block) => block.type === 'tool_use' && tools.includes(block.name)) === true;
  };
}
