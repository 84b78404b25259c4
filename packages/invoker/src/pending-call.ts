import type {
  AnyTool,
  ApprovalTrace,
  BlobStat,
  HookScope,
  Journal,
  JsonObject,
  ProgressEvent,
  ToolCaller,
  ToolRisk,
} from '@ravi/kernel';
import { emptyArray, inspectArguments, utf8Length } from '@ravi/support';
import type { ArtifactPlace } from '@ravi/support';
import { canonicalJson, withContentHashes } from './arguments/digest.ts';
import { previewOf } from './arguments/redact.ts';
import type { GateStop } from './error-results.ts';
import type { InvokerRuntime } from './runtime.ts';
import type { InvokerSession } from './scope/session.ts';
import { Cancellation } from './timing/cancellation.ts';
import type { Release } from './timing/keyed-locks.ts';
import { toolDigest } from './toolbox/freeze-tool.ts';

/** A call as somebody asks for it. */
export interface ToolCall {
  readonly name: string;
  /** Any JSON object; copied and checked before anything sees it. */
  readonly args: unknown;
  /** Counted per session when absent. */
  readonly callId?: string;
  /** The provider's call type, for a provider-defined tool. */
  readonly type?: string | undefined;
}

/** How one call is made. */
export interface InvokeOptions {
  readonly session: InvokerSession;
  /** `direct` when absent. */
  readonly caller?: ToolCaller | undefined;
  /** The call that this one happens inside of. */
  readonly parentId?: string;
  /** Cancels this call alone. */
  readonly signal?: AbortSignal | undefined;
}

/** Reference to data that was stored, and its size. */
export interface StoredArtifact {
  readonly ref: string;
  readonly bytes: number;
}

/** What a gate answers: the call goes on, or it stops. */
export type GateOutcome = PendingCall | GateStop;

/** One step of the pipeline. */
export type Gate = (pending: PendingCall) => GateOutcome | Promise<GateOutcome>;

/** One call on its way through the gates; each gate fills in what it found. */
export class PendingCall {
  readonly runtime: InvokerRuntime;
  readonly session: InvokerSession;
  readonly caller: ToolCaller;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly callId: string;
  readonly providerType: string | undefined;
  readonly cancellation: Cancellation;
  readonly startedAt: number;
  readonly started: number;
  readonly #rawArgs: unknown;
  /** Checked, copied and frozen by the arguments gate; what runs once the artifact gate has filled refs in. */
  args: JsonObject = {};
  /** What the digest and the preview are of: the arguments with refs, never with their content. */
  namedArgs: JsonObject = {};
  artifacts: readonly ArtifactPlace[] = emptyArray;
  /** Size of the arguments, about. */
  argsBytes = 0;
  /** By ref; filled at the first look. */
  artifactStats: ReadonlyMap<string, BlobStat | undefined> | undefined;
  /** What the approval gate judged. */
  risk: ToolRisk = 'safe';
  approval: ApprovalTrace | undefined;
  isJournaled = false;
  /** How many questions about it humans were asked. */
  questions = 0;
  /** The tool answered after nobody waited any more. */
  isLate = false;
  release: Release | undefined;
  #areArgsRead = false;
  #argsProblem: string | undefined;
  #tool: AnyTool | undefined;
  #digest: string | undefined;
  #preview: string | undefined;

  constructor(
    runtime: InvokerRuntime,
    call: ToolCall,
    { session, caller = 'direct', parentId = session.parentCallId, signal }: InvokeOptions,
  ) {
    this.runtime = runtime;
    this.session = session;
    this.caller = caller;
    this.parentId = parentId;
    this.cancellation = signal === undefined ? session.cancellation : new Cancellation(signal, session.cancellation);
    this.name = call.name;
    this.callId = call.callId ?? session.nextCallId();
    this.providerType = call.type;
    this.#rawArgs = call.args;
    this.startedAt = runtime.clock.now();
    this.started = runtime.clock.monotonic();
  }

  /** The tool that the lookup gate found. */
  get tool(): AnyTool {
    if (this.#tool === undefined) throw new TypeError(`Call ${this.callId} has not passed the lookup gate`);
    return this.#tool;
  }

  /** The digest of its definition; absent when it was not found. */
  get toolDigest(): string | undefined {
    return this.#tool === undefined ? undefined : toolDigest(this.#tool);
  }

  set tool(tool: AnyTool) {
    this.#tool = tool;
  }

  /** Where it is put on record. */
  get journal(): Journal | undefined {
    return this.session.durability?.journal ?? this.runtime.journal;
  }

  /** The same for every attempt of this logical call. */
  get idempotencyKey(): string {
    return `${this.session.runId}:${this.callId}`;
  }

  /** Keyed digest of the canonical arguments, refs replaced by the hash of what they hold. */
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

  /** Where they name artifacts. */
  get artifactPaths(): readonly ArtifactPlace['path'][] {
    return this.artifacts.length === 0 ? emptyArray : this.artifacts.map((place) => place.path);
  }

  /** Takes the arguments as they were asked for, once. The problem in plain words when they cannot be taken. */
  readOwnArguments(): string | undefined {
    if (this.#areArgsRead) return this.#argsProblem;
    this.#areArgsRead = true;
    this.#argsProblem = this.readArguments(this.#rawArgs);
    return this.#argsProblem;
  }

  /** Takes `value` as the arguments: capped, copied and frozen. The problem in plain words when it cannot be taken. */
  readArguments(value: unknown): string | undefined {
    const inspected = inspectArguments(value, this.session.policy.maxArgumentBytes);
    if ('problem' in inspected) return inspected.problem;
    this.args = inspected.args;
    this.namedArgs = inspected.args;
    this.artifacts = inspected.artifacts;
    this.argsBytes = inspected.bytes;
    // What was found out about others says nothing about these.
    this.artifactStats = undefined;
    this.#digest = undefined;
    this.#preview = undefined;
    return undefined;
  }

  /** Holds its locks no longer, and listens to its own signal no longer. */
  leave(): void {
    this.release?.();
    if (this.cancellation !== this.session.cancellation) this.cancellation.dispose();
  }

  /** Forgets what refs were filled in with; the call has ended. */
  dropContent(): void {
    this.args = this.namedArgs;
  }

  /** Forgets the arguments; whoever needs their digest or preview has it. */
  dropArguments(): void {
    this.args = {};
    this.namedArgs = {};
  }

  /** What every hook payload about this call carries. */
  get scope(): HookScope {
    const { runId, sessionId } = this.session;
    const scope = { runId, sessionId, callId: this.callId };
    return this.parentId === undefined ? scope : { ...scope, parentId: this.parentId };
  }

  /** Stores data of this call for its session, pinned until the session closes. @throws KernelError of the store */
  async storeArtifact(data: Uint8Array | string, mediaType: string): Promise<StoredArtifact> {
    const ref = await this.session.storeArtifact(data, mediaType, { ...this.scope, tool: this.name });
    const bytes = typeof data === 'string' ? utf8Length(data) : data.byteLength;
    return { ref, bytes };
  }

  /** Reports progress of this call to the session. */
  report(event: ProgressEvent): void {
    this.session.report(event);
  }
}
