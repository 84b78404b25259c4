import type { SessionOptions, ToolInvokerOptions } from '@ravi/invoker';
import type {
  AnyTool,
  ApprovalDecisionInput,
  ApprovalRequest,
  ChainCallRecord,
  ChainPolicy,
  InvocationResult,
  JsonSchema,
  Principal,
  Sandbox,
  ToolRegistry,
  ToolRisk,
  ValueStore,
} from '@ravi/kernel';

/** Options of `createGateway`: those of the one invoker that runs every call, and what a framework needs in addition. */
export interface GatewayOptions extends Omit<ToolInvokerOptions, 'registry'> {
  /** Tools to offer. With a registry, such as a `Toolbox`, later changes of it are visible. `tool_chain` is added to it. */
  readonly tools: Iterable<AnyTool> | ToolRegistry;
  /** Runs the scripts of `tool_chain`, which is offered only with a sandbox. */
  readonly sandbox?: Sandbox;
  /** Tools of which the model reads: all (`both`, the default), `tool_chain` alone, or all but `tool_chain`. */
  readonly offer?: 'both' | 'tools' | 'chain';
  /** Limits of scripts that differ from `policy`. */
  readonly chainPolicy?: Partial<ChainPolicy>;
  /**
   * Way to people. `framework`: a call that needs approval returns `needs-approval`, and the framework interrupts its run. `handler`:
   * the call waits for the `approvalHandler`. Default `handler` if there is one, else `framework`. With both, the handler gets only
   * the questions that running tools ask, and the tokens of calls that wait for results from outside.
   */
  readonly approvals?: 'framework' | 'handler';
  /**
   * Keeps requests for approval and outcomes of calls, so that another process can continue; needs a `digestKey`. In the memory of
   * this process when absent.
   */
  readonly values?: ValueStore;
  /** Milliseconds for which a request for approval can be decided; one hour when absent. */
  readonly approvalExpiryMs?: number;
  /** Options of each session that the gateway opens, such as `agent` and `artifactTtlMs`. */
  readonly session?: Pick<SessionOptions, 'agent' | 'allowedTools' | 'artifactTtlMs' | 'onProgress' | 'skills'>;
  /**
   * Maximum number of runs in memory; 1000 when absent. The run that was idle for longest leaves first. Without `values` its open
   * requests and its results end with that. A call of it that began is not made again: a repeated one gets `E_CALL_UNKNOWN`, for the
   * last 20 times as many runs.
   */
  readonly maxRuns?: number;
}

/** Run of a framework. Runs with other ids, conversations or principals share neither budget nor calls. */
export interface FrameworkRun {
  /** Id that the framework or its caller gives the run, the same after an interrupt. It is the run id in the trace. */
  readonly runId: string;
  /** Owner of artifacts, shared by the runs of a conversation; `runId` when absent. */
  readonly sessionId?: string;
  /** `local` when absent. */
  readonly principal?: Principal;
}

/** Call of a framework. */
export interface GatewayCall {
  readonly run: FrameworkRun;
  /** Name of the tool in Ravi. */
  readonly name: string;
  /** Any JSON object; copied and checked before it is used. */
  readonly args: unknown;
  /** Id that the framework gives the call, the same when it makes the call again. A call with this id runs at most once. */
  readonly callId: string;
  /** Cancels the call. A script that waits for approval is cancelled only by the signal of the latest `call` or `decide`. */
  readonly signal?: AbortSignal | undefined;
}

/** Call of a descriptor, which knows its name. */
export type DescriptorCall = Omit<GatewayCall, 'name' | 'args'>;

/** Decision of a person, as the framework passes it on. */
export interface GatewayDecision extends ApprovalDecisionInput {
  /**
   * Request that the person saw: a decision on another request never counts. Required for the calls of a script. Without it the
   * decision is for the request that belongs to this call id.
   */
  readonly requestId?: string;
}

/** Outcome of a step of a call. */
export type GatewayOutcome =
  /** The call has ended. `isReplay`: it had ended before, and nothing ran this time. */
  | { readonly status: 'done'; readonly result: InvocationResult; readonly isReplay: boolean }
  /** People have to decide before it continues: one request for a tool, one or more for the calls of a script. */
  | { readonly status: 'needs-approval'; readonly requests: readonly ApprovalRequest[] }
  /** The decision does not count, and nothing ran. The result says why, for the model. */
  | { readonly status: 'refused'; readonly result: InvocationResult };

/** Answer to a framework that asks before a call if it needs approval. */
export type GatewayCheck =
  | { readonly needsApproval: false }
  | { readonly needsApproval: true; readonly request: ApprovalRequest };

/** Options of {@link Gateway.check}. */
export interface CheckOptions {
  /** True if the call comes from stored messages and not from the model: then a request that was never made stays absent. */
  readonly isHistory?: boolean;
}

/** Tool as a framework gets it. */
export interface GatewayTool {
  /** Name for the model: 1 to 64 letters, digits, underscores and hyphens, unique among the descriptors. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Declared risk; a call may have a higher one, unless `isRiskFixed`. Absent for the default of the policy. */
  readonly risk?: ToolRisk;
  /** False if the arguments of a call can make its risk higher. */
  readonly isRiskFixed: boolean;
  /** See {@link Gateway.check}. */
  check(args: unknown, call: DescriptorCall, options?: CheckOptions): Promise<GatewayCheck>;
  /** See {@link Gateway.call}. */
  call(args: unknown, call: DescriptorCall): Promise<GatewayOutcome>;
  /** See {@link Gateway.decide}. */
  decide(args: unknown, call: DescriptorCall, decision: GatewayDecision): Promise<GatewayOutcome>;
}

/** Content of an artifact. */
export interface GatewayArtifact {
  readonly ref: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Tools of Ravi for one agent framework, over one invoker. */
export interface Gateway extends AsyncDisposable {
  /** Current tools to offer; the same list until they change. */
  readonly tools: readonly GatewayTool[];
  /**
   * Continues a script whose calls wait for approval, for frameworks that can ask only before a call and not during it. Absent
   * without a sandbox and with an approval handler.
   */
  readonly continuation: GatewayTool | undefined;
  /**
   * Runs a call, or returns the requests for approval that it waits for. Made again with the same id and arguments it never runs
   * twice: it joins the running call, or returns its outcome.
   * @throws KernelError `E_CANCELLED` when the run or the call was cancelled
   */
  call(call: GatewayCall): Promise<GatewayOutcome>;
  /**
   * Returns if the call needs approval, and keeps the request, without running anything. For frameworks that ask before a call; they
   * then use {@link Gateway.decide} when they run it.
   */
  check(call: GatewayCall, options?: CheckOptions): Promise<GatewayCheck>;
  /**
   * Continues a call with a decision. It counts once, for the arguments and the definition of the tool that were requested. A call
   * that needs no approval simply runs; one whose approval was never requested is refused.
   * @throws KernelError `E_CANCELLED` when the run or the call was cancelled
   */
  decide(call: GatewayCall, decision: GatewayDecision): Promise<GatewayOutcome>;
  /** Returns the finished calls of a run in this process. */
  trace(run: FrameworkRun): readonly ChainCallRecord[];
  /**
   * Reads an artifact of the conversation of this run.
   * @throws KernelError `E_BLOB_NOT_FOUND`, also without an artifact store; `E_ARTIFACT_FORBIDDEN`; those of the store
   */
  readArtifact(run: FrameworkRun, ref: string): Promise<GatewayArtifact>;
  /** Cancels what still runs, releases artifacts and forgets the calls of the run, also in `values`. */
  endRun(run: FrameworkRun): Promise<void>;
}
