import { KernelError } from '@ravi/kernel';
import type {
  AwaitedApproval,
  BlobRef,
  BlobScope,
  ChainCallRecord,
  ChainFile,
  ChainPolicy,
  EventScope,
  ExpiryPolicy,
  InvocationResult,
  Journal,
  Principal,
  ProgressEvent,
  ProgressSink,
  RunContext,
  Scratchpad,
} from '@ravi/kernel';
import { emptyArray, errorText, randomId } from '@ravi/support';
import type { InvokerRuntime } from '../runtime.ts';
import { Cancellation } from '../timing/cancellation.ts';
import { SessionKeys } from '../timing/held-keys.ts';
import { HumanClock } from '../timing/human-clock.ts';
import { CallerFilters } from './caller-access.ts';
import type { Channels } from './channels.ts';
import { CombinedList, InheritedList } from './inherited-list.ts';
import { isSameRun, openRunState } from './run-state.ts';
import type { RunGrants, RunState } from './run-state.ts';
import { SessionArtifacts } from './session-artifacts.ts';
import type { ArtifactData, ArtifactOrigin } from './session-artifacts.ts';
import type { SessionDurability } from './session-durability.ts';
import type { SessionLease } from './session-lease.ts';
import { allowListsOf, policyOf } from './session-limits.ts';
import type { CallGuard } from './session-limits.ts';
import type { RunServices } from './run-services.ts';
import type { CallLimit, HumanWaitListener, SessionOptions } from './session-options.ts';
import type { AllowList } from './tool-rules.ts';

/** Entry of the trace; the whole record is built when it is read. */
export interface TraceLine extends Pick<ChainCallRecord, 'tool' | 'status'> {
  readonly record: ChainCallRecord;
}

/** Reason of the aborted signal of a closed session. One object for all: every run closes a session and few read the reason. */
const closed = new KernelError('E_CANCELLED', 'The session is closed');

/** Mutable state of one run: counters, trace, pins and grants. Close it, or use `await using`. */
export class InvokerSession implements RunContext, AsyncDisposable {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly policy: ChainPolicy;
  readonly callLimit: CallLimit;
  readonly artifactTtlMs: number | undefined;
  readonly toolsEnabled: boolean;
  readonly parentCallId: string | undefined;
  /** Name of the agent whose run this is. */
  readonly agent: string | undefined;
  /** Folder in which the run works. */
  readonly cwd: string | undefined;
  /** Run that tools and observers see: the run around this one if this one is part of it. */
  readonly reportedRunId: string;
  readonly durability: SessionDurability | undefined;
  readonly journal: Journal | undefined;
  readonly hasStableApprovalIds: boolean;
  readonly approvalExpiryMs: number | undefined;
  readonly onApprovalExpiry: ExpiryPolicy;
  /** Id of the stored run that this session belongs to, if it belongs to one. */
  readonly storedRunId: string | undefined;
  /** Keys of locks that running calls of the session hold. */
  readonly heldKeys: SessionKeys;
  readonly cancellation: Cancellation;
  readonly #runtime: InvokerRuntime;
  /** Shared with the sessions of the same run around this one. */
  readonly #run: RunState;
  /** Tools that the operator allows its principal, and those of the sessions around it. */
  readonly callerFilters: CallerFilters;
  /** Restrictions of the run, as its request names them. */
  readonly #runLists: InheritedList<AllowList>;
  /** Restrictions of its agent and of active skills. They do not hold for a sub-agent whose tools the operator granted. */
  readonly #agentLists: InheritedList<AllowList>;
  #allowLists: CombinedList<AllowList> | undefined;
  readonly #guards: InheritedList<CallGuard>;
  readonly #onProgress: ProgressSink | undefined;
  readonly #parent: InvokerSession | undefined;
  #onHumanWait: HumanWaitListener | undefined;
  #lease: SessionLease | undefined;
  #services: RunServices | undefined;
  readonly #trace: TraceLine[] = [];
  #humanClock: HumanClock | undefined;
  #blobScope: BlobScope | undefined;
  #ownArtifacts: SessionArtifacts | undefined;
  #controller: AbortController | undefined;
  #closing: Promise<void> | undefined;
  #isEndedByClose = false;
  #callCount = 0;

  constructor(runtime: InvokerRuntime, basePolicy: ChainPolicy, options: SessionOptions) {
    const { parent } = options;
    this.#runtime = runtime;
    this.#parent = parent;
    this.runId = options.runId ?? parent?.runId ?? randomId('run');
    this.sessionId = options.sessionId ?? parent?.sessionId ?? randomId('session');
    this.principal = options.principal ?? parent?.principal ?? 'local';
    this.policy = policyOf(options.policy, parent, basePolicy);
    this.callLimit = options.callLimit ?? 'maxToolCalls';
    this.artifactTtlMs = options.artifactTtlMs ?? parent?.artifactTtlMs;
    this.toolsEnabled = (options.toolsEnabled ?? true) && (parent?.toolsEnabled ?? true);
    this.durability = options.durability;
    this.journal = options.durability?.journal ?? options.journal ?? parent?.journal ?? runtime.journal;
    this.hasStableApprovalIds = options.hasStableApprovalIds ?? parent?.hasStableApprovalIds ?? false;
    this.storedRunId = options.isOfStoredRun === true ? this.runId : parent?.storedRunId;
    const isPart = parent !== undefined && options.isPartOfParentRun === true;
    this.reportedRunId = isPart ? parent.reportedRunId : this.runId;
    const isInSameRun = parent !== undefined && isSameRun(this, parent);
    this.#run = isInSameRun ? parent.#run : openRunState(runtime, this, options, isPart ? parent.#run : undefined);
    for (const file of options.files ?? emptyArray) this.addFile(file);
    this.parentCallId = options.parentCallId;
    this.agent = options.agent ?? parent?.agent;
    this.cwd = options.cwd ?? parent?.cwd;
    // `parent?.#runLists` is not allowed for private names.
    this.callerFilters = CallerFilters.of(runtime.access, this.principal, parent?.callerFilters);
    this.#runLists = new InheritedList(allowListsOf(options), parent === undefined ? undefined : parent.#runLists);
    const isBound = parent !== undefined && options.hasOwnTools !== true;
    this.#agentLists = new InheritedList<AllowList>(emptyArray, isBound ? parent.#agentLists : undefined);
    this.#guards = new InheritedList<CallGuard>(emptyArray, parent === undefined ? undefined : parent.#guards);
    this.#onProgress = options.onProgress;
    this.heldKeys = new SessionKeys(parent?.heldKeys.within(options.parentCallId));
    this.approvalExpiryMs =
      options.approvalExpiryMs ?? options.durability?.approvalExpiryMs ?? parent?.approvalExpiryMs;
    this.onApprovalExpiry = options.onApprovalExpiry ?? 'deny';
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

  /** Session inside which this one runs. */
  get parent(): InvokerSession | undefined {
    return this.#parent;
  }

  /** Lease of the run, or of the innermost run around it that has one. */
  get lease(): SessionLease | undefined {
    return this.#lease ?? this.#parent?.lease;
  }

  /**
   * Sets the lease of the run. From then on calls and approvals name it to the stores, and after a pause of this process the
   * lease is confirmed before the result of a call is used.
   */
  holdLease(lease: SessionLease): void {
    this.#lease = lease;
  }

  /** Approvals that hold for the whole run. */
  get grants(): RunGrants {
    return this.#run.grants;
  }

  get blobScope(): BlobScope {
    return (this.#blobScope ??= Object.freeze({ principal: this.principal, sessionId: this.sessionId }));
  }

  get #artifacts(): SessionArtifacts {
    return (this.#ownArtifacts ??= new SessionArtifacts(this.#runtime, this));
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
    return this.#run.files;
  }

  get scratchpad(): Scratchpad {
    return this.#run.scratchpad;
  }

  /** Keeps the scratchpad of a stored run; `undefined` if nothing does. */
  get storedScratchpad(): RunState['storedScratchpad'] {
    return this.#run.storedScratchpad;
  }

  /** Channels of the run, or those that it shares with the runs around it that have the same principal. */
  channels(kind: 'own' | 'shared'): Channels {
    if (kind === 'own') return this.#run.channels;
    return this.#parent?.principal === this.principal ? this.#parent.channels(kind) : this.#run.sharedChannels;
  }

  /** Services of the agent whose run this is, or is inside of. */
  get services(): RunServices | undefined {
    return this.#services ?? this.#parent?.services;
  }

  /** Gives the tools of this session, and of those inside it, the services of an agent. */
  provide(services: RunServices): void {
    this.#services = services;
  }

  /** Artifacts that this session pins until it closes. */
  get pinnedRefs(): readonly BlobRef[] {
    return this.#artifacts.refs;
  }

  /** Owner of its pins. */
  get pinOwner(): string {
    return this.#artifacts.pinOwner;
  }

  /** Milliseconds of waits for humans so far; they count against no time limit. */
  humanWaitMs(): number {
    return this.#humanClock?.totalMs ?? 0;
  }

  /** Reports each wait of {@link InvokerSession.enterHumanWait} to `listener`. Calls of sessions inside this one are not reported. */
  onHumanWait(listener: HumanWaitListener): void {
    this.#onHumanWait = listener;
  }

  /**
   * Reports that a call waits only for people and that another process can make it again, so that the run need not stay in
   * memory. Returns the function that ends the wait.
   */
  enterHumanWait(callId: string, approvals: readonly AwaitedApproval[] = emptyArray): () => void {
    return this.#onHumanWait?.(callId, approvals) ?? this.durability?.onHumanWait(callId, approvals) ?? (() => {});
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
  get scope(): EventScope {
    const { reportedRunId: runId, sessionId, parentCallId } = this;
    return parentCallId === undefined ? { runId, sessionId } : { runId, sessionId, parentId: parentCallId };
  }

  /** Counts one call against the budget; `false` if the budget is used up. */
  countCall(): boolean {
    if (this.#callCount >= this.policy[this.callLimit]) return false;
    this.#callCount++;
    return true;
  }

  /** Ids of calls of the run that earlier sessions began: budgets have counted them, and do not when they are made again. */
  get countedCalls(): Set<string> {
    return this.#run.countedCalls;
  }

  /** Returns an id that no other call of the run has. Sessions inside the same call (`within`) share one counter. */
  nextCallId(within: string | undefined = this.parentCallId): string {
    const prefix = within === undefined ? '' : `${within}.`;
    return `${prefix}call_${this.#run.nextCallNumber(prefix)}`;
  }

  /** True if the caller may call the tool, and every allow-list that holds for the session has it. */
  allows(tool: string): boolean {
    if (!this.callerFilters.has(tool)) return false;
    return this.#runLists.all.every((list) => list.has(tool)) && this.#agentLists.all.every((list) => list.has(tool));
  }

  /** Current allow-lists of the run, its agent and its skills; an empty array means that they allow every tool. */
  get allowLists(): readonly AllowList[] {
    return (this.#allowLists ??= new CombinedList(this.#runLists, this.#agentLists)).all;
  }

  /** Those of the {@link allowLists} that belong to an agent or a skill. */
  get agentAllowLists(): readonly AllowList[] {
    return this.#agentLists.all;
  }

  /**
   * Restricts the allowed tools to these, until the returned function is called: in this session and in every session
   * inside of it, those that are already open included. A set and rules are used without a copy. A restriction `ofAgent` does not
   * hold in sessions that have tools of their own (`hasOwnTools`).
   */
  narrow(tools: Iterable<string> | AllowList, options: { readonly ofAgent?: boolean } = {}): () => void {
    const list = 'has' in tools ? tools : new Set(tools);
    return (options.ofAgent === true ? this.#agentLists : this.#runLists).add(list);
  }

  /**
   * Checks every call of this session and of every session inside of it with `guard`, until the returned function is called.
   * The guard sees the arguments that will run, as an interceptor does, and again if an approver changes them. It has no
   * time limit; if it throws, the call is refused.
   */
  guard(guard: CallGuard): () => void {
    return this.#guards.add(guard);
  }

  /** Current guards of the session and its parents, those of the parents first. */
  get guards(): readonly CallGuard[] {
    return this.#guards.all;
  }

  /** True if blobs of this scope belong to the session. */
  owns(scope: BlobScope): boolean {
    return scope.principal === this.principal && scope.sessionId === this.sessionId;
  }

  /**
   * Stores data for this session only, pinned until it closes, or until the run ends if the run is durable.
   * @throws KernelError of the store, or of the journal of a durable run
   */
  storeArtifact(
    data: ArtifactData,
    mediaType: string,
    origin: ArtifactOrigin = {},
    signal?: AbortSignal,
  ): Promise<BlobRef> {
    return this.#artifacts.store(data, mediaType, origin, signal);
  }

  /** Pins an artifact that is already stored, for as long as {@link InvokerSession.storeArtifact} does. */
  pinArtifact(ref: BlobRef): Promise<void> {
    return this.#artifacts.pin(ref);
  }

  /** Adds a file of the run; it replaces a file of the same path. */
  addFile(file: ChainFile): void {
    this.#run.addFile(file);
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

  /** True if the session passes progress on. */
  get reportsProgress(): boolean {
    return this.#onProgress !== undefined;
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
      this.#closing = Promise.resolve().then(() => this.#unpinAll());
      this.cancellation.dispose();
      this.#isEndedByClose = !this.cancellation.isCancelled;
      this.cancel(closed.message);
    }
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #unpinAll(): Promise<void> {
    const unpinFailures = await this.#artifacts.unpinAll();
    this.#runtime.hooks.emit({ type: 'session-closed', ...this.scope, toolCalls: this.#callCount, unpinFailures });
  }
}
