import type { BlobReader, BlobRef } from '../blob/blob-store.ts';
import type { Clock } from '../base/clock.ts';
import type { ContentBlock } from './content.ts';
import type { ElicitationRequest, ElicitationResult } from './elicitation.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import type { ModelReservation, PlannedModelUse } from '../base/model-usage.ts';
import type { ToolChannels, ToolFiles, ToolJobs, ToolRun } from './tool-run.ts';
import { compareRisk } from './risk.ts';
import type { ToolRisk } from './risk.ts';
import type { Principal } from '../base/run-context.ts';

/** Pattern of tool names. Encoders sanitise names further for each provider. */
export const toolNamePattern: RegExp = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/;

/** Largest description of a tool, and largest line for the prompt, in characters: every request to a model may repeat it. */
export const maxToolDescriptionCharacters: number = 65_536;

/** Result of a tool's execution. */
export interface ToolExecutionResult {
  readonly content: readonly ContentBlock[];
  /** True if the tool ran and failed; the content describes the failure. */
  readonly isError: boolean;
  /** Value for a script. */
  readonly structuredContent?: JsonValue;
  /** True if the text leaves out a part of `structuredContent`: a model then gets the value as an artifact, or after the text. */
  readonly isTextCut?: boolean;
  /** Data for the host. Never shown to a model or a script. */
  readonly metadata?: JsonObject;
}

/**
 * Small values that the tools of one run share, its scripts and the parts of an agent included. They end with the run. If its runs
 * are stored, they outlive its pauses and its process: what a call has changed is stored before its result is used. A call that is
 * made again after a crash sees what its earlier attempt has stored. Without a state store they end with the process.
 *
 * A key that begins with `@` belongs to a tool, for what a model must not change: tools that offer the scratchpad to a model leave these keys out.
 */
export interface Scratchpad {
  /** Returns a copy; `undefined` if the key has no value. */
  get(key: string): unknown;
  /** @throws KernelError `E_RESULT_NOT_JSON` for a value that is not plain JSON, `E_BUDGET_EXHAUSTED` above 64 KiB or 1 000 keys, or for a key above 256 characters */
  set(key: string, value: unknown): void;
  delete(key: string): void;
  /** Returns the keys that have a value, in the order in which they were added. */
  keys(): readonly string[];
}

/** Progress of a running tool, reported through `context.progress`. */
export interface ProgressUpdate {
  /** Completed share from 0 to 1, if known. */
  readonly fraction?: number;
  readonly message?: string;
}

/** Result of a call that another system delivers, once, with a token. */
export interface Completion {
  /** Secret of this call: any system that has it can end the call. Only its digest is stored. */
  readonly token: string;
  /** Address for the `POST` that ends the call; absent if the runtime has no address. */
  readonly url: string | undefined;
  /** Milliseconds since the Unix epoch; the call then ends with `E_COMPLETION_EXPIRED`. */
  readonly expiresAt: number;
  /**
   * Begins the wait. What is delivered becomes the result of the call, also in another process, where the tool does not run again.
   * So the promise never resolves: return it. It rejects when the call has ended, or continues elsewhere.
   */
  readonly result: Promise<never>;
}

/** Context of a tool call, passed in addition to the arguments. */
export interface ToolContext {
  readonly runId: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Aborted on time-out and on cancellation. Pass it to every operation that waits. */
  readonly signal: AbortSignal;
  /** The same for every attempt of one logical call, including after a resume. */
  readonly idempotencyKey: string;
  /** Folder in which the run works, as an absolute path. Absent without a workspace. */
  readonly cwd?: string | undefined;
  /** Name of the agent whose run makes the call. Absent without an agent. */
  readonly agent?: string | undefined;
  /**
   * Bytes of text that a model reads of the result, in UTF-8. Longer text is stored and replaced by its beginning, so a tool that knows
   * better what to leave out keeps its text below this, and says so with `isTextCut`.
   */
  readonly maxTextBytes: number;
  readonly files: ToolFiles;
  /** Channels between the calls of this run and of its scripts. */
  readonly channels: ToolChannels;
  /** Channels between all agents of a run: the agent that a person or program started, its delegates, and theirs. */
  readonly sharedChannels: ToolChannels;
  /** Absent outside the run of an agent. */
  readonly jobs?: ToolJobs | undefined;
  readonly run: ToolRun;
  readonly log: Logger;
  readonly scratchpad: Scratchpad;
  /** Reads blobs of this session only. */
  readonly blobs: BlobReader;
  readonly clock: Clock;
  /**
   * Stores data as an artifact of the session and returns its ref. Return it in a media block whose source has the kind
   * `blob`. People see it under `name`. A stream is stored as it is read, so that a result of any size takes little memory.
   * @throws KernelError of the blob store, `E_CANCELLED` if the call ends before
   */
  storeArtifact(
    data: Uint8Array | string | ReadableStream<Uint8Array>,
    mediaType: string,
    options?: { readonly name?: string },
  ): Promise<BlobRef>;
  progress(update: ProgressUpdate): void;
  /**
   * Reserves a request that the tool is about to make to a model of its own, in the budgets of the run and of the day. The tool settles it
   * also after a failure.
   * @throws KernelError `E_BUDGET_EXHAUSTED` if not enough is left, or the code of the store; nothing is reserved then
   */
  reserveModel(use: PlannedModelUse): Promise<ModelReservation>;
  /** False if no observer receives progress: a tool can leave out work that only its progress needs. */
  readonly reportsProgress: boolean;
  /**
   * Asks the person for whom the run works, and waits for the answer. The time of the wait does not count towards the time limit of
   * the call. The request is stored and shown where approvals are shown. An aborted `signal` withdraws it: the answer is not needed any
   * more.
   * @throws KernelError `E_UNSUPPORTED` if there is no person to ask, `E_REQUEST_INVALID` for a request that cannot be shown,
   * `E_BUDGET_EXHAUSTED` after 20 requests of the call, `E_CANCELLED`
   */
  elicit(request: ElicitationRequest, options?: { readonly signal?: AbortSignal }): Promise<ElicitationResult>;
  /**
   * Creates the token with which another system ends this call. It is stored before it is returned, so after that the tool does not run
   * again for this call, and the call waits up to `expiresInMs` (one day when absent, 24 days at most). The time of the wait does not
   * count towards the time limit of the call. A call that ends otherwise withdraws its token.
   * @throws KernelError `E_UNSUPPORTED` if no store keeps the token, `E_ARGUMENTS_INVALID` for `expiresInMs`, `E_BUDGET_EXHAUSTED` for
   * a second one in the same call, `E_CANCELLED`, `E_STATE_UNAVAILABLE`
   */
  completion(options?: { readonly expiresInMs?: number }): Promise<Completion>;
  /** @throws KernelError `E_CANCELLED` when the run was cancelled or the call timed out. */
  check(): void;
  /**
   * Records that the call begins. A tool with `beginsLate` awaits it before its first effect; for other tools that has happened, and
   * it does nothing. Idempotent.
   * @throws KernelError `E_CANCELLED` as `check`, `E_STATE_UNAVAILABLE` or `E_INTERNAL` if it cannot be recorded
   */
  begin(): Promise<void>;
}

/**
 * Concurrency of the calls of a tool: all at once (`parallel`, the default), one at a time among all exclusive calls, or one
 * at a time per key.
 */
export type ToolConcurrency = 'parallel' | 'exclusive' | { readonly keys: (args: JsonObject) => readonly string[] };

/** Repetition of a call whose error may pass. */
export interface ToolRetry {
  /** Maximum number of repetitions of one call, from 0 to 10. `maxToolRetries` of the policy when absent. */
  readonly maxRetries?: number;
  /** Milliseconds before the first repetition, doubled for each further one. `toolRetryDelayMs` of the policy when absent. */
  readonly delayMs?: number;
}

/** Answer of a tool to the question whether a call took effect. `unknown` leaves the call as it is: a person has to look. */
export type ReconcileAnswer<Result = ToolExecutionResult> =
  /** The call took effect. Without a `result` the caller reads only that it did. */
  { readonly happened: true; readonly result?: Result } | { readonly happened: false } | 'unknown';

/** Context of `reconcile`. */
export type ReconcileContext = Pick<
  ToolContext,
  'runId' | 'callId' | 'sessionId' | 'principal' | 'cwd' | 'signal' | 'log' | 'clock'
>;

/** Context of `checkCall`. */
export interface CheckContext extends ReconcileContext, Pick<ToolContext, 'agent'> {
  /** Values of the run, which a check only reads. */
  readonly scratchpad: Pick<Scratchpad, 'get' | 'keys'>;
}

/** Risk of one call, derived from its arguments. */
export interface RiskAssessment {
  readonly risk: ToolRisk;
  /** Effect of the call, for the approver. */
  readonly summary?: string;
}

/** Author of a call: the model (`direct`), or a script that the model wrote (`chain`). */
export type ToolCaller = 'direct' | 'chain';

/** Tool that this process runs. Risk, schemas and flags are read once, when the tool is added, and frozen. */
export interface Tool {
  /** Matches {@link toolNamePattern}. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Schema of the value: `structuredContent`, or the text without it. Another value makes the call an `E_OUTPUT_INVALID`. */
  readonly outputSchema?: JsonSchema;
  /**
   * Absent means `policy.defaultRisk`, and at least `high` for a tool of a source that the operator did not write. Each call
   * of a tool without a declared risk is journalled.
   */
  readonly risk?: ToolRisk;
  /**
   * Returns the risk of one call. It can only raise the static risk. If it throws, the risk is `critical`. With bytes or a
   * stream among the arguments the risk is at least `high`.
   */
  classifyRisk?(args: JsonObject): RiskAssessment;
  readonly concurrency?: ToolConcurrency;
  /** True if two runs with one `idempotencyKey` have the effect of one. */
  readonly idempotent?: boolean;
  /**
   * True for a tool that waits for something before it has an effect, such as a connection or a sign-in, and then awaits
   * `context.begin()`. A call that a crash interrupts before that is made again, because it cannot have had an effect.
   */
  readonly beginsLate?: boolean;
  /**
   * Repetition of a call that ended with a retryable error, within its time limit and with the same `idempotencyKey`. Only a
   * call that can do no harm twice is repeated: one of an idempotent tool or of a `safe` one, or one whose error says that it
   * had no effect. `false`: never. Absent means as the policy says.
   */
  readonly retry?: ToolRetry | false;
  /** True if it may suspend its run until an external event. */
  readonly suspends?: boolean;
  /**
   * True for a tool that changes its run or makes calls of its own: it starts only after the response that calls it is
   * complete, even if it is `safe`. The calls after it in that response wait too.
   */
  readonly runAfterResponse?: boolean;
  /** True if it is declared to a model only after discovery, or to a provider with a tool search as deferred. */
  readonly deferLoading?: boolean;
  /** Absent means both. */
  readonly allowedCallers?: readonly ToolCaller[];
  /** `stream` passes artifacts as `ArtifactStream` where the schema asks for free text or bytes, instead of reading them into memory. */
  readonly artifacts?: 'value' | 'stream';
  /** True for a tool that ends on its own time limits, like a chain that waits for approvals: `callTimeoutMs` does not apply. */
  readonly managesOwnTimeout?: boolean;
  /**
   * `background`: the agent receives a job at once, and the result as a later message. `direct`, the default: the step waits
   * for the result.
   */
  readonly mode?: 'direct' | 'background';
  /** Returns the full documentation, on demand. */
  documentation?(): string;
  /** Line for the system prompt. */
  readonly promptHint?: string;
  /**
   * Checks a call before people are asked to approve it, with the arguments of `execute`. An exception ends the call with that error and
   * without a request; so does the end of `callTimeoutMs`. It must not change anything. It is not called for a call that needs no
   * approval or has one, and the world may change while people decide, so `execute` has to find the same mistakes.
   */
  checkCall?(args: JsonObject, context: CheckContext): Promise<void> | void;
  /**
   * Finds out whether a call took effect whose process ended during it. Called once for such a call, with the arguments and the
   * key of `execute`, before anything else happens with it: `happened` replays the result, `happened: false` runs the call under the
   * approval that it has, and `unknown`, an exception or the end of `callTimeoutMs` ends it as `E_CALL_UNKNOWN` (the call of an idempotent
   * tool runs again). It must not change anything: the process may end during it too, and then the next one asks again. The processes need the same
   * `digestKey`, by which the invoker recognizes the arguments.
   */
  reconcile?(args: JsonObject, idempotencyKey: string, context: ReconcileContext): Promise<ReconcileAnswer>;
  /** Runs the tool. An exception becomes an error result. */
  execute(args: JsonObject, context: ToolContext): Promise<ToolExecutionResult>;
}

/** Artifact as passed to a tool that declares `artifacts: 'stream'`, in place of its ref. */
export interface ArtifactStream {
  readonly ref: string;
  readonly mediaType: string;
  readonly bytes: number;
  open(range?: { readonly offset?: number; readonly length?: number }): Promise<ReadableStream<Uint8Array>>;
}

/** Tool that the provider runs. It is left out for a provider that it has no spec for. */
export interface HostedTool {
  readonly name: string;
  readonly description: string;
  /**
   * Declarations by interface: `openai/responses`, `openai/chat`, `anthropic/messages`, `google/generate-content`, or the
   * `interfaces` of another provider.
   */
  readonly providerSpecs: Readonly<Record<string, JsonObject>>;
}

/** Call in the format of its provider. */
export interface ProviderCall {
  readonly id: string;
  /** One of the tool's `callTypes`. */
  readonly type: string;
  readonly payload: JsonObject;
}

/** Tool whose call format the provider defines, and which this process runs. */
export interface ProviderDefinedTool {
  readonly name: string;
  readonly description: string;
  readonly providerSpecs: Readonly<Record<string, JsonObject>>;
  readonly callTypes: readonly string[];
  readonly risk?: ToolRisk;
  handleCall(call: ProviderCall, context: ToolContext): Promise<ToolExecutionResult>;
}

/** Any tool that a registry can hold. */
export type AnyTool = Tool | HostedTool | ProviderDefinedTool;

/** Returns true for a {@link ProviderDefinedTool}. */
export function isProviderDefinedTool(tool: AnyTool): tool is ProviderDefinedTool {
  return 'handleCall' in tool && typeof tool.handleCall === 'function';
}

/** Returns true for a {@link HostedTool}, which the provider runs. */
export function isHostedTool(tool: AnyTool): tool is HostedTool {
  return 'providerSpecs' in tool && !isProviderDefinedTool(tool);
}

/** Returns true for a {@link Tool}, which this process runs by `execute`. */
export function isLocalTool(tool: AnyTool): tool is Tool {
  return 'execute' in tool && typeof tool.execute === 'function';
}

/** Returns true for a tool that can tell whether an earlier call took effect. */
export function canReconcile(tool: AnyTool | undefined): tool is Tool & Required<Pick<Tool, 'reconcile'>> {
  return tool !== undefined && isLocalTool(tool) && typeof tool.reconcile === 'function';
}

/**
 * Brand of a tool that a chain must not call, such as `tool_chain`. Set it to `true` on the tool. It is a brand and not a
 * name, so that an alias cannot recurse, and a registered symbol, so that two copies of this package agree.
 */
export const notCallableFromChain: unique symbol = Symbol.for('ravi.not-callable-from-chain') as never;

/** Returns false if the tool has the brand {@link notCallableFromChain}. */
export function isCallableFromChain(tool: AnyTool): boolean {
  return (tool as { readonly [notCallableFromChain]?: boolean })[notCallableFromChain] !== true;
}

/**
 * Brand of a tool of a foreign source, one that the operator did not write, such as a plugin. A registry sets it. A registered
 * symbol, so that two copies of this package agree.
 */
export const foreignTool: unique symbol = Symbol.for('ravi.foreign-tool') as never;

/** Place of a tool of a foreign source, and the name that the source gave it. */
export interface ToolOrigin {
  /** First part of the prefix of a pattern, for example `mcp` in `mcp:github/*`. */
  readonly kind: string;
  readonly source: string;
  /** Name of the tool at its source; the name in a registry may differ. */
  readonly name: string;
}

/**
 * Brand of a tool whose source named it otherwise, so that patterns can choose it by that name. A registered symbol, so that two copies
 * of this package agree.
 */
export const toolOrigin: unique symbol = Symbol.for('ravi.tool-origin') as never;

/** Returns the origin that a tool has as its brand {@link toolOrigin}. Only its source vouches for it. */
export function originOf(tool: AnyTool): ToolOrigin | undefined {
  return (tool as { readonly [toolOrigin]?: ToolOrigin })[toolOrigin];
}

/** Returns the risk of a tool before its arguments are known: the declared one, or `defaultRisk`, for a foreign tool at least `high`. */
export function staticRisk(tool: Tool | ProviderDefinedTool, defaultRisk: ToolRisk): ToolRisk {
  if (tool.risk !== undefined) return tool.risk;
  const isForeign = (tool as { readonly [foreignTool]?: boolean })[foreignTool] === true;
  return isForeign && compareRisk(defaultRisk, 'high') < 0 ? 'high' : defaultRisk;
}

/** Options of {@link ToolRegistry.add}. */
export interface AddToolOptions {
  /** Name of the source of the tool; absent for a tool that the program itself adds. */
  readonly source?: string;
  /**
   * True if the operator wrote the tool: without a declared risk it then has `policy.defaultRisk`, otherwise at least `high`.
   * True when absent and there is no `source`, false when absent and there is one.
   */
  readonly isOwn?: boolean;
}

/** Tools by name. */
export interface ToolRegistry {
  get(name: string): AnyTool | undefined;
  /** Returns the reason why a known tool cannot be called now, such as a changed definition; `undefined` for any other name. */
  absenceOf?(name: string): string | undefined;
  all(): readonly AnyTool[];
  names(): readonly string[];
  /** @throws KernelError `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` */
  add(tool: AnyTool, options?: AddToolOptions): void;
}

/**
 * Brand of a tool whose execution calls other tools: the registry that has them. Approvers may change the arguments of those calls
 * in a process where the tool does not run.
 */
export const toolsInside: unique symbol = Symbol.for('ravi.tools-inside') as never;

/** Returns the registry that a tool has as its brand {@link toolsInside}. */
export function toolsInsideOf(tool: AnyTool): ToolRegistry | undefined {
  return (tool as { readonly [toolsInside]?: ToolRegistry })[toolsInside];
}
