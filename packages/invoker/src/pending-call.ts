import { canReconcile } from '@ravi/kernel';
import type {
  AnyTool,
  ApprovalRequest,
  ApprovalTrace,
  BlobStat,
  CallAttempt,
  ChainCallRecord,
  EventScope,
  Journal,
  JsonObject,
  KernelError,
  ProgressEvent,
  Timer,
  ToolCaller,
  ToolExecutionResult,
  ToolRisk,
} from '@ravi/kernel';
import type { FilledPlace } from './content/places.ts';
import { emptyArray, inspectArguments, utf8Length } from '@ravi/support';
import type { ArtifactPlace } from '@ravi/support';
import { canonicalJson, withContentHashes } from './arguments/digest.ts';
import { previewOf } from './arguments/redact.ts';
import type { GateStop } from './error-results.ts';
import type { InvokerRuntime } from './runtime.ts';
import type { InvokerSession } from './scope/session.ts';
import { Cancellation } from './timing/cancellation.ts';
import { HeldKeys } from './timing/held-keys.ts';
import type { Release } from './timing/keyed-locks.ts';
import { toolDigest } from './toolbox/freeze-tool.ts';

/** Tool call as the caller requests it. */
export interface ToolCall {
  readonly name: string;
  /** Any JSON object; copied and checked before it is used. */
  readonly args: unknown;
  /** Counted per session when absent. */
  readonly callId?: string;
  /** The provider's call type, for a provider-defined tool. */
  readonly type?: string | undefined;
}

/** Attempt of a call that began in a process which ended, and has no outcome. */
export interface InterruptedCall {
  /** Its record in the journal. */
  readonly record: ChainCallRecord;
  /** Number of the attempt. */
  readonly attempt: number;
  /** Digest of the definition that its tool had. */
  readonly toolDigest?: string | undefined;
  /** Request with which it waits for its result from outside. The tool does not run again for it. */
  readonly completion?: ApprovalRequest | undefined;
}

/** Options of `invoker.invoke`. */
export interface InvokeOptions {
  readonly session: InvokerSession;
  /** `direct` when absent. */
  readonly caller?: ToolCaller | undefined;
  /** Call inside which this one runs. */
  readonly parentId?: string;
  /** Cancels this call alone. */
  readonly signal?: AbortSignal | undefined;
  /** Called just before the tool runs, after every gate; not at all for a call that a gate refuses. */
  readonly onExecute?: (() => void) | undefined;
  /**
   * Earlier attempt of this call. If its tool has `reconcile`, the tool says whether it took effect, and the call runs only if it did
   * not. The call then ends with the result of that attempt, or with `E_CALL_UNKNOWN`. With a `completion` the call waits for its result.
   * Otherwise ignored for a tool without `reconcile`.
   */
  readonly interrupted?: InterruptedCall | undefined;
  /** True for a call that a running tool makes: a run does not pause while it waits for people, because the tool would start again. */
  readonly isInnerCall?: boolean | undefined;
  /** Called before the call is recorded in the journal, with its error if it could not be: the call then does not start. */
  readonly recordOuter?: (() => Promise<KernelError | undefined>) | undefined;
  /** Id for the first request for approval of this call, if `invoker.assess` has returned that request to people before. */
  readonly approvalId?: string | undefined;
}

/** Reference to data that was stored, and its size. */
export interface StoredArtifact {
  readonly ref: string;
  readonly bytes: number;
}

/** Result of a gate: the same call to continue, or a refusal. */
export type GateOutcome = PendingCall | GateStop;

/** One step of the pipeline. */
export type Gate = (pending: PendingCall) => GateOutcome | Promise<GateOutcome>;

/** Milliseconds for which the locks of a call are held after its end while its tool has not settled: one minute. */
const lockGraceMs = 60_000;

/** One call on its way through the gates; each gate adds its findings. */
export class PendingCall {
  readonly runtime: InvokerRuntime;
  readonly session: InvokerSession;
  readonly caller: ToolCaller;
  readonly parentId: string | undefined;
  readonly onExecute: (() => void) | undefined;
  readonly approvalId: string | undefined;
  /** True for a call that a running tool makes. */
  readonly isInnerCall: boolean;
  /** Records the call inside which this one runs. Returns the error if that could not be recorded. */
  readonly recordOuter: (() => Promise<KernelError | undefined>) | undefined;
  /** True once the running tool has made calls of its own. */
  hasInnerCalls = false;
  /** Earlier attempt of this call that has not been reconciled. */
  interrupted: InterruptedCall | undefined;
  /** True if the budgets that runs share have counted the call: the start of an earlier attempt is on record. */
  readonly isCounted: boolean;
  /** Number of the attempt for the journal, if this call had an earlier one. */
  attempt: number | undefined;
  /** Result of the earlier attempt, if it took effect. */
  earlierResult: ToolExecutionResult | undefined;
  readonly name: string;
  readonly callId: string;
  readonly providerType: string | undefined;
  readonly cancellation: Cancellation;
  readonly startedAt: number;
  readonly started: number;
  readonly #rawArgs: unknown;
  /** Arguments that the tool gets: read once, frozen, and with the content of artifacts in place of their refs. */
  args: JsonObject = {};
  /** Arguments with refs instead of their content: the digest and the preview are made from these. */
  namedArgs: JsonObject = {};
  artifacts: readonly ArtifactPlace[] = emptyArray;
  /** Places of `args` that hold the content of an artifact. */
  content: readonly FilledPlace[] = emptyArray;
  /** Approximate size of the arguments in bytes. */
  argsBytes = 0;
  /** By ref; loaded before the content is read. */
  artifactStats: ReadonlyMap<string, BlobStat> | undefined;
  /** Risk that the approval gate assessed. */
  risk: ToolRisk = 'safe';
  approval: ApprovalTrace | undefined;
  isJournaled = false;
  /** True once the tool may have had an effect. */
  hasBegun = false;
  /** The write that records the start of a tool with `beginsLate`. Never rejects. */
  beginning: Promise<KernelError | undefined> | undefined;
  /** True if an earlier attempt may have taken effect, and the tool could not find out. */
  isUnknown = false;
  /** Number of approvals that were requested for this call. */
  approvalRequests = 0;
  /** Number of times that the running call asked for input. */
  elicitations = 0;
  /** True once the running call has asked for a token for its result. */
  hasCompletion = false;
  /** Attempts that have ended, if the tool was executed more than once. */
  attempts: readonly CallAttempt[] | undefined;
  /** Start of the running attempt, on the monotonic clock; absent before the first and during a back-off. */
  attemptStarted: number | undefined;
  /** True if the tool returned after the time-out or the cancellation. */
  isLate = false;
  /** True from the start of the tool until it returns or throws, however late. */
  isToolRunning = false;
  release: Release | undefined;
  #graceTimer: Timer | undefined;
  #areArgsRead = false;
  #argsProblem: string | undefined;
  #tool: AnyTool | undefined;
  #digest: string | undefined;
  #preview: string | undefined;

  constructor(
    runtime: InvokerRuntime,
    call: ToolCall,
    {
      session,
      caller = 'direct',
      parentId = session.parentCallId,
      signal,
      onExecute,
      approvalId,
      interrupted,
      isInnerCall = false,
      recordOuter,
    }: InvokeOptions,
  ) {
    this.runtime = runtime;
    this.session = session;
    this.caller = caller;
    this.parentId = parentId;
    this.isInnerCall = isInnerCall;
    this.recordOuter = recordOuter;
    this.onExecute = onExecute;
    this.approvalId = approvalId;
    this.cancellation = signal === undefined ? session.cancellation : new Cancellation(signal, session.cancellation);
    this.name = call.name;
    this.callId = call.callId ?? session.nextCallId();
    this.providerType = call.type;
    this.#rawArgs = call.args;
    const isUsed = (earlier: InterruptedCall): boolean =>
      earlier.completion !== undefined || canReconcile(runtime.registry.get(call.name));
    this.isCounted = interrupted !== undefined;
    this.interrupted = interrupted !== undefined && isUsed(interrupted) ? interrupted : undefined;
    this.attempt = this.interrupted?.attempt;
    this.startedAt = runtime.clock.now();
    this.started = runtime.clock.monotonic();
  }

  /** The tool that the lookup gate found. */
  get tool(): AnyTool {
    if (this.#tool === undefined) throw new TypeError(`Call ${this.callId} has not passed the lookup gate`);
    return this.#tool;
  }

  /** Digest of the tool's definition; absent if the tool was not found. */
  get toolDigest(): string | undefined {
    return this.#tool === undefined ? undefined : toolDigest(this.#tool);
  }

  set tool(tool: AnyTool) {
    this.#tool = tool;
  }

  /** Journal that records this call. */
  get journal(): Journal | undefined {
    return this.session.journal;
  }

  /** The same for every attempt of this logical call. */
  get idempotencyKey(): string {
    return `${this.session.runId}:${this.callId}`;
  }

  /** Keyed digest of the canonical arguments, with refs replaced by the hash of their content. */
  get argsDigest(): string {
    const args =
      this.artifactStats === undefined ? this.namedArgs : withContentHashes(this.namedArgs, this.artifactStats);
    this.#digest ??= this.runtime.digest(canonicalJson(args));
    return this.#digest;
  }

  /** The redacted arguments, cut. */
  get argsPreview(): string {
    return (this.#preview ??= previewOf(this.namedArgs));
  }

  /** Places of the arguments that name artifacts. */
  get artifactPaths(): readonly ArtifactPlace['path'][] {
    return this.artifacts.length === 0 ? emptyArray : this.artifacts.map((place) => place.path);
  }

  /** Reads the requested arguments, once. Returns the problem in plain words if they are invalid. */
  readOwnArguments(): string | undefined {
    if (this.#areArgsRead) return this.#argsProblem;
    this.#areArgsRead = true;
    this.#argsProblem = this.readArguments(this.#rawArgs);
    return this.#argsProblem;
  }

  /** Uses `value` as the arguments: checked against the limits, copied and frozen. Returns the problem in plain words if it is invalid. */
  readArguments(value: unknown): string | undefined {
    const inspected = inspectArguments(value, this.session.policy.maxArgumentBytes);
    if ('problem' in inspected) return inspected.problem;
    this.args = inspected.args;
    this.namedArgs = inspected.args;
    this.artifacts = inspected.artifacts;
    this.content = emptyArray;
    this.argsBytes = inspected.bytes;
    // Findings about the previous arguments do not apply to these.
    this.artifactStats = undefined;
    this.#digest = undefined;
    this.#preview = undefined;
    return undefined;
  }

  /** Returns the locks that this call needs for its keys, and records the keys for the calls inside it. */
  locksFor(keys: readonly string[]): readonly string[] {
    const { heldKeys } = this.session;
    const outer = heldKeys.within(this.parentId);
    if (keys.length > 0 || outer !== undefined) heldKeys.begin(this.callId, new HeldKeys(keys, outer));
    return outer === undefined ? keys : keys.map((key) => outer.lockFor(key));
  }

  /**
   * Releases the locks and stops listening to the signal of this call. While its tool still runs, after a time-out or a
   * cancellation, the locks are held until it settles, for at most {@link lockGraceMs}.
   */
  leave(): void {
    if (!this.isToolRunning || this.release === undefined) this.releaseLocks();
    else
      this.#graceTimer ??= this.runtime.clock.setTimer(() => this.releaseLocks(), lockGraceMs, { isBackground: true });
    if (this.cancellation !== this.session.cancellation) this.cancellation.dispose();
  }

  /** Releases the locks now. Idempotent. */
  releaseLocks(): void {
    this.#graceTimer?.cancel();
    this.release?.();
    this.session.heldKeys.end(this.callId);
  }

  /** Uses arguments whose refs have been replaced by content. */
  setContent(args: JsonObject, content: readonly FilledPlace[]): void {
    this.args = args;
    this.content = content;
    // The digest now covers the content.
    this.#digest = undefined;
  }

  /** Drops the content of artifacts, so that it is not kept in memory while an approver decides and after the call has ended. */
  dropContent(): void {
    this.args = this.namedArgs;
    this.content = emptyArray;
  }

  /** Drops the arguments, once their digest and preview are computed. */
  dropArguments(): void {
    this.args = {};
    this.namedArgs = {};
  }

  /** Ids that every event about this call has. */
  get scope(): EventScope & { readonly callId: string } {
    const { reportedRunId: runId, sessionId } = this.session;
    const scope = { runId, sessionId, callId: this.callId };
    return this.parentId === undefined ? scope : { ...scope, parentId: this.parentId };
  }

  /** Stores data of this call for its session, pinned until the session closes. @throws KernelError of the store */
  async storeArtifact(data: Uint8Array | string, mediaType: string, name?: string): Promise<StoredArtifact> {
    const origin = { ...this.scope, tool: this.name, ...(name === undefined ? {} : { name }) };
    const ref = await this.session.storeArtifact(data, mediaType, origin);
    const bytes = typeof data === 'string' ? utf8Length(data) : data.byteLength;
    return { ref, bytes };
  }

  /** True if an observer or the session receives events of this type: lets the invoker skip building one otherwise. */
  isReported(type: 'tool-call' | 'tool-result' | 'tool-retry'): boolean {
    return this.session.reportsProgress || this.runtime.hooks.observes(type);
  }

  /** Reports an event of this call to observers and to the session. */
  report(event: ProgressEvent): void {
    if (event.type !== 'tool-progress') this.runtime.hooks.emit(event);
    this.session.report(event);
  }
}
