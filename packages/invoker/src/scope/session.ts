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
  /** Artifacts belong to it; a new random id when absent. */
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
   * The session that this one runs inside of. Its ids, principal and policy hold where nothing else is said; with the
   * same ids and principal its grants, scratchpad and files are shared. What it does not allow is not allowed here, and what
   * cancels it cancels this one.
   */
  readonly parent?: InvokerSession;
  /** The call that this session runs inside of; its id prefixes the ids here. */
  readonly parentCallId?: string;
  readonly onProgress?: ProgressSink;
  /** Present in a run that outlives the process. */
  readonly durability?: SessionDurability;
  /**
   * A question about a call has the id that the same call asks under again, so that an answer holds for whoever goes on
   * with the run. That of the parent when absent.
   */
  readonly hasStableQuestions?: boolean;
}

/** One call in the trace; its whole record is made when somebody reads it. */
export interface TraceLine extends Pick<ChainCallRecord, 'tool' | 'status'> {
  readonly record: ChainCallRecord;
}

/** The call that an artifact comes from, for observers. */
export interface ArtifactOrigin {
  readonly callId?: string;
  readonly parentId?: string;
  readonly tool?: string;
}

/** Why the signal of a closed session is aborted: one for all, since every run closes one and hardly anybody looks. */
const closed = new KernelError('E_CANCELLED', 'The session is closed');

/** The mutable state of one run: counters, trace, pins, grants. The invoker itself keeps none. Close it, or `await using`. */
export class InvokerSession implements RunContext, AsyncDisposable {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly policy: ChainPolicy;
  readonly toolsEnabled: boolean;
  readonly parentCallId: string | undefined;
  readonly durability: SessionDurability | undefined;
  readonly hasStableQuestions: boolean;
  readonly cancellation: Cancellation;
  readonly #runtime: InvokerRuntime;
  /** The session of the same run that this one runs inside of: what belongs to the run is kept there. */
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
  /** Of the calls that are inside of no other. */
  #lastCallId = 0;
  /** Of those that are, by the prefix of their ids. */
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
    this.hasStableQuestions = options.hasStableQuestions ?? parent?.hasStableQuestions ?? false;
    this.#outer = shared;
    for (const file of options.files ?? emptyArray) this.addFile(file);
    this.parentCallId = options.parentCallId;
    this.#allowLists = allowListsOf(options, parent);
    this.#onProgress = options.onProgress;
    this.cancellation = new Cancellation(options.signal, parent?.cancellation);
  }

  /** Aborted when the run is cancelled and when the session closes. Made when somebody asks for it: most calls need none. */
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

  /** Calls that were attempted, refused ones included. */
  get callCount(): number {
    return this.#callCount;
  }

  /** A copy of the trace in the order the calls ended: one finished record per call. */
  get trace(): readonly ChainCallRecord[] {
    return this.#trace.map((line) => line.record);
  }

  /** The tools whose calls were cancelled, one name for each call. */
  get cancelledTools(): readonly string[] {
    return this.#trace.filter(({ status }) => status === 'cancelled').map(({ tool }) => tool);
  }

  /** The files of the run's calls so far, one to a path. */
  get files(): readonly ChainFile[] {
    if (this.#outer !== undefined) return this.#outer.files;
    return this.#files === undefined ? [] : [...this.#files.values()];
  }

  get scratchpad(): Scratchpad {
    if (this.#outer !== undefined) return this.#outer.scratchpad;
    return (this.#scratchpad ??= new Map<string, unknown>());
  }

  /** The artifacts that this session holds until it closes. */
  get pinnedRefs(): readonly BlobRef[] {
    return this.#pins.refs;
  }

  /** The owner of its pins. */
  get pinOwner(): string {
    return this.#pins.owner;
  }

  /** Milliseconds that humans have taken so far, charged to nobody. */
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

  /** What every hook payload about this session carries. */
  get scope(): HookScope {
    const { runId, sessionId, parentCallId } = this;
    return parentCallId === undefined ? { runId, sessionId } : { runId, sessionId, parentId: parentCallId };
  }

  /** Takes one call from the budget; `false` when it is used up. */
  countCall(): boolean {
    if (this.#callCount >= this.policy.maxToolCalls) return false;
    this.#callCount++;
    return true;
  }

  /** An id that no other call of the run has: sessions inside of the same call, `within`, count on. */
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

  /** Whether every list of the session names the tool. */
  allows(tool: string): boolean {
    for (const list of this.#allowLists) if (!list.has(tool)) return false;
    return true;
  }

  /** The lists that {@link InvokerSession.allows} asks: none means that every tool is allowed. */
  get allowLists(): readonly ReadonlySet<string>[] {
    return this.#allowLists;
  }

  /** Allows only these tools of those that are allowed, until the returned function is called. A set is taken as it is. */
  narrow(tools: Iterable<string>): () => void {
    const list: ReadonlySet<string> = tools instanceof Set ? tools : new Set(tools);
    this.#allowLists = [...this.#allowLists, list];
    return () => {
      this.#allowLists = this.#allowLists.filter((each) => each !== list);
    };
  }

  /** Whether blobs of this scope are the session's own. */
  owns(scope: BlobScope): boolean {
    return scope.principal === this.principal && scope.sessionId === this.sessionId;
  }

  /**
   * Stores data for this session alone, pinned until it closes, or until its run ends when that outlives the session.
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

  /** Holds what is stored already, as {@link InvokerSession.storeArtifact} does. */
  pinArtifact(ref: BlobRef): Promise<void> {
    return this.#pins.pin(ref);
  }

  /** Notes a file of the run; one with the path of another takes its place. */
  addFile(file: ChainFile): void {
    if (this.#outer !== undefined) return this.#outer.addFile(file);
    this.#files ??= new Map();
    this.#files.set(file.path, file);
  }

  record(line: TraceLine): void {
    this.#trace.push(line);
  }

  /** Takes a call as it is in the journal of the run: it counts and leaves what it left, and nothing is executed. */
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

  /** Cancels what still runs and gives every pin back. Idempotent; a failing unpin is logged and stops nothing. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      // Before the cancellation: who is told of it may close the session as well.
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
