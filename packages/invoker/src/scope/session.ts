import { KernelError } from '@ravi/kernel';
import type {
  BlobRef,
  BlobScope,
  ChainCallRecord,
  ChainFile,
  ChainPolicy,
  HookScope,
  InvocationResult,
  Principal,
  ProgressEvent,
  ProgressSink,
  RunContext,
  Scratchpad,
  Skill,
} from '@ravi/kernel';
import { emptyArray, errorText, randomId, utf8Length } from '@ravi/support';
import type { InvokerRuntime } from '../runtime.ts';
import { Cancellation } from '../timing/cancellation.ts';
import { HumanClock } from '../timing/human-clock.ts';
import { RunGrants } from './run-grants.ts';
import type { SessionDurability } from './session-durability.ts';
import { allowListsOf, policyOf } from './session-limits.ts';
import { SessionPins } from './session-pins.ts';

/** Options of `invoker.openSession`. */
export interface SessionOptions {
  /** A new random id when absent. */
  readonly runId?: string;
  /** Owner of the artifacts; a new random id when absent. */
  readonly sessionId?: string;
  /** `local` when absent. */
  readonly principal?: Principal;
  /** Cancels every call of the session. */
  readonly signal?: AbortSignal;
  /** Replaces single fields of the invoker's policy. */
  readonly policy?: Partial<ChainPolicy>;
  /** The only tools that may be called; absent means all. */
  readonly allowedTools?: readonly string[];
  /** Active skills; each one that names tools narrows further. */
  readonly skills?: readonly Skill[];
  /** Files of earlier calls of the same session; its scripts find them at their paths. */
  readonly files?: readonly ChainFile[];
  /** `false` denies every call. */
  readonly toolsEnabled?: boolean;
  /**
   * Session inside which this one runs. Its ids, principal and policy are the defaults; if ids and principal are the same,
   * grants, scratchpad and files are shared. Only tools that it allows are allowed here, and its cancellation cancels
   * this session.
   */
  readonly parent?: InvokerSession;
  /** Call inside which this session runs; its id prefixes the ids of calls here. */
  readonly parentCallId?: string;
  readonly onProgress?: ProgressSink;
  /** Present in a run that outlives the process. */
  readonly durability?: SessionDurability;
  /**
   * True if a repeated call requests its approval under the same id, so that a decision is valid in the process that
   * resumes the run. The value of the parent when absent.
   */
  readonly hasStableApprovalIds?: boolean;
}

/** Entry of the trace; the whole record is built when it is read. */
export interface TraceLine extends Pick<ChainCallRecord, 'tool' | 'status'> {
  readonly record: ChainCallRecord;
}

/** Call that produced an artifact, for observers. */
export interface ArtifactOrigin {
  readonly callId?: string;
  readonly parentId?: string;
  readonly tool?: string;
}

/** Reason of the aborted signal of a closed session. One object for all: every run closes a session and few read the reason. */
const closed = new KernelError('E_CANCELLED', 'The session is closed');

/** Mutable state of one run: counters, trace, pins and grants. Close it, or use `await using`. */
export class InvokerSession implements RunContext, AsyncDisposable {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly policy: ChainPolicy;
  readonly toolsEnabled: boolean;
  readonly parentCallId: string | undefined;
  readonly durability: SessionDurability | undefined;
  readonly hasStableApprovalIds: boolean;
  readonly cancellation: Cancellation;
  readonly #runtime: InvokerRuntime;
  /** Session of the same run around this one: it keeps the state that belongs to the run. */
  readonly #outer: InvokerSession | undefined;
  #allowLists: readonly ReadonlySet<string>[];
  readonly #onProgress: ProgressSink | undefined;
  readonly #trace: TraceLine[] = [];
  #humanClock: HumanClock | undefined;
  #grants: RunGrants | undefined;
  #blobScope: BlobScope | undefined;
  #heldPins: SessionPins | undefined;
  #scratchpad: Map<string, unknown> | undefined;
  #files: Map<string, ChainFile> | undefined;
  #controller: AbortController | undefined;
  #closing: Promise<void> | undefined;
  #isEndedByClose = false;
  #callCount = 0;
  /** Of calls that are not inside another call. */
  #lastCallId = 0;
  /** Of calls inside another call, by the prefix of their ids. */
  #lastInnerIds: Map<string, number> | undefined;

  constructor(runtime: InvokerRuntime, basePolicy: ChainPolicy, options: SessionOptions) {
    const { parent } = options;
    this.#runtime = runtime;
    this.runId = options.runId ?? parent?.runId ?? randomId('run');
    this.sessionId = options.sessionId ?? parent?.sessionId ?? randomId('session');
    this.principal = options.principal ?? parent?.principal ?? 'local';
    this.policy = policyOf(options.policy, parent, basePolicy);
    this.toolsEnabled = (options.toolsEnabled ?? true) && (parent?.toolsEnabled ?? true);
    const shared = parent !== undefined && isSameRun(this, parent) ? parent : undefined;
    this.durability = options.durability;
    this.hasStableApprovalIds = options.hasStableApprovalIds ?? parent?.hasStableApprovalIds ?? false;
    this.#outer = shared;
    for (const file of options.files ?? emptyArray) this.addFile(file);
    this.parentCallId = options.parentCallId;
    this.#allowLists = allowListsOf(options, parent);
    this.#onProgress = options.onProgress;
    this.cancellation = new Cancellation(options.signal, parent?.cancellation);
  }

  /** Aborted when the run is cancelled and when the session closes. Created at the first read, because most calls need no signal. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    const abort = (): void => controller.abort(this.#isEndedByClose ? closed : this.cancellation.error);
    if (this.cancellation.isCancelled) abort();
    else this.cancellation.onCancel(abort);
    this.#controller = controller;
    return controller.signal;
  }

  get humanClock(): HumanClock {
    return (this.#humanClock ??= new HumanClock(this.#runtime.clock));
  }

  /** Approvals that hold for the whole run. */
  get grants(): RunGrants {
    return this.#outer?.grants ?? (this.#grants ??= new RunGrants(this.durability?.grants));
  }

  get blobScope(): BlobScope {
    const { principal, sessionId } = this;
    return (this.#blobScope ??= Object.freeze({ principal, sessionId }));
  }

  get #pins(): SessionPins {
    return (this.#heldPins ??= new SessionPins(this.#runtime, this.runId, this.durability));
  }

  /** Number of calls that were attempted, refused ones included. */
  get callCount(): number {
    return this.#callCount;
  }

  /** A copy of the trace in the order the calls ended: one finished record per call. */
  get trace(): readonly ChainCallRecord[] {
    return this.#trace.map((line) => line.record);
  }

  /** Names of tools whose calls were cancelled, one for each call. */
  get cancelledTools(): readonly string[] {
    return this.#trace.filter(({ status }) => status === 'cancelled').map(({ tool }) => tool);
  }

  /** Files of the run's calls so far, one per path. */
  get files(): readonly ChainFile[] {
    if (this.#outer !== undefined) return this.#outer.files;
    return this.#files === undefined ? [] : [...this.#files.values()];
  }

  get scratchpad(): Scratchpad {
    if (this.#outer !== undefined) return this.#outer.scratchpad;
    return (this.#scratchpad ??= new Map<string, unknown>());
  }

  /** Artifacts that this session pins until it closes. */
  get pinnedRefs(): readonly BlobRef[] {
    return this.#pins.refs;
  }

  /** Owner of its pins. */
  get pinOwner(): string {
    return this.#pins.owner;
  }

  /** Milliseconds of waits for humans so far; they count against no time limit. */
  humanWaitMs(): number {
    return this.#humanClock?.totalMs ?? 0;
  }

  /** @throws KernelError `E_CANCELLED` when the run was cancelled or the session is closed */
  check(): void {
    this.cancellation.check();
  }

  /** Cancels the run: running calls end, no call starts any more. */
  cancel(reason: string, cause?: KernelError): void {
    this.cancellation.cancel(reason, cause);
  }

  /** Fields that every hook payload about this session has. */
  get scope(): HookScope {
    const { runId, sessionId, parentCallId } = this;
    return parentCallId === undefined ? { runId, sessionId } : { runId, sessionId, parentId: parentCallId };
  }

  /** Counts one call against the budget; `false` if the budget is used up. */
  countCall(): boolean {
    if (this.#callCount >= this.policy.maxToolCalls) return false;
    this.#callCount++;
    return true;
  }

  /** Returns an id that no other call of the run has. Sessions inside the same call (`within`) share one counter. */
  nextCallId(within: string | undefined = this.parentCallId): string {
    const prefix = within === undefined ? '' : `${within}.`;
    return `${prefix}call_${this.#nextNumber(prefix)}`;
  }

  #nextNumber(prefix: string): number {
    if (this.#outer !== undefined) return this.#outer.#nextNumber(prefix);
    if (prefix === '') return ++this.#lastCallId;
    this.#lastInnerIds ??= new Map();
    const number = (this.#lastInnerIds.get(prefix) ?? 0) + 1;
    this.#lastInnerIds.set(prefix, number);
    return number;
  }

  /** True if every allow-list of the session names the tool. */
  allows(tool: string): boolean {
    for (const list of this.#allowLists) if (!list.has(tool)) return false;
    return true;
  }

  /** Allow-lists of the session; an empty array means that every tool is allowed. */
  get allowLists(): readonly ReadonlySet<string>[] {
    return this.#allowLists;
  }

  /** Restricts the allowed tools to these, until the returned function is called. A set is used without a copy. */
  narrow(tools: Iterable<string>): () => void {
    const list: ReadonlySet<string> = tools instanceof Set ? tools : new Set(tools);
    this.#allowLists = [...this.#allowLists, list];
    return () => {
      this.#allowLists = this.#allowLists.filter((each) => each !== list);
    };
  }

  /** True if blobs of this scope belong to the session. */
  owns(scope: BlobScope): boolean {
    return scope.principal === this.principal && scope.sessionId === this.sessionId;
  }

  /**
   * Stores data for this session only, pinned until it closes, or until the run ends if the run is durable.
   * @throws KernelError of the store, or of the journal of a durable run
   */
  async storeArtifact(data: Uint8Array | string, mediaType: string, origin: ArtifactOrigin = {}): Promise<BlobRef> {
    const ref = await this.#pins.store(data, { mediaType, scope: this.blobScope });
    const { hooks } = this.#runtime;
    if (hooks.observes('artifact-stored')) {
      const bytes = typeof data === 'string' ? utf8Length(data) : data.byteLength;
      hooks.emit('artifact-stored', { ...this.scope, ...origin, ref, mediaType, bytes });
    }
    return ref;
  }

  /** Pins an artifact that is already stored, for as long as {@link InvokerSession.storeArtifact} does. */
  pinArtifact(ref: BlobRef): Promise<void> {
    return this.#pins.pin(ref);
  }

  /** Adds a file of the run; it replaces a file of the same path. */
  addFile(file: ChainFile): void {
    if (this.#outer !== undefined) return this.#outer.addFile(file);
    this.#files ??= new Map();
    this.#files.set(file.path, file);
  }

  record(line: TraceLine): void {
    this.#trace.push(line);
  }

  /** Replays a call from the journal of the run: it counts and adds its files, but nothing is executed. */
  replay(record: ChainCallRecord, { files }: InvocationResult): void {
    this.countCall();
    this.record({ tool: record.tool, status: record.status, record });
    for (const file of files) this.addFile(file);
  }

  report(event: ProgressEvent): void {
    try {
      this.#onProgress?.(event);
    } catch (error) {
      this.#runtime.logger.warn('progress sink failed', { error: errorText(error) });
    }
  }

  /** Cancels running calls and releases every pin. Idempotent; a failed unpin is logged and does not stop the others. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      // Set before the cancellation: its listeners may close the session too.
      this.#closing = Promise.resolve().then(() => this.#giveBackPins());
      this.cancellation.dispose();
      this.#isEndedByClose = !this.cancellation.isCancelled;
      this.cancel(closed.message);
    }
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #giveBackPins(): Promise<void> {
    const unpinFailures = await this.#pins.giveBack();
    this.#runtime.hooks.emit('session-closed', { ...this.scope, toolCalls: this.#callCount, unpinFailures });
  }
}

function isSameRun(session: RunContext, other: RunContext): boolean {
  return (
    session.runId === other.runId && session.sessionId === other.sessionId && session.principal === other.principal
  );
}
