import type { InvokerSession } from '@ravi/invoker';
import type {
  HookEvent,
  InvocationResult,
  JsonObject,
  ModelMessage,
  ModelUsage,
  Question,
  RunWriter,
} from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import { setAgentContext } from '../agent/agent-context.ts';
import type { Agent, AgentContext, SpawnOptions } from '../agent/agent-context.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentEvent, AgentEventSink } from '../agent/agent-event.ts';
import type { ApprovalMode } from '../agent/agent-options.ts';
import type { AgentEnding, AgentResult } from '../agent/agent-result.ts';
import type { Budget } from '../agent/budget.ts';
import type { PausedRun, RecoveryStores, ResumedFrom } from '../agent/paused-run.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { questionAbove } from '../conversation/pause.ts';
import { Jobs } from '../jobs/jobs.ts';
import { OfferedTools } from '../prompt/offered-tools.ts';
import { SystemPrompt } from '../prompt/system-prompt.ts';
import { ActiveSkills } from '../skills/active-skills.ts';
import { SubAgents } from './sub-agents.ts';
import type { CallerOptions, ChildRunner } from './sub-agents.ts';
import type { OpenCalls } from './agent-stream.ts';
import { ApprovalPause } from './approval-pause.ts';
import type { EnterWait } from './approval-pause.ts';
import { RunJournal } from './run-journal.ts';
import type { KeptLease } from '../process/kept-process.ts';
import { isSuspended } from './suspension.ts';

/** Parts of an {@link AgentRun}. */
export interface AgentRunParts {
  readonly definition: AgentDefinition;
  readonly session: InvokerSession;
  readonly conversation: Conversation;
  readonly budget: Budget | undefined;
  readonly emit: AgentEventSink | undefined;
  readonly priority: number;
  readonly parent: AgentRun | undefined;
  /** Call of the parent that this run works for. */
  readonly parentCallId?: string | undefined;
  /** Session of that call, if a script of the parent has made it. */
  readonly callSession?: InvokerSession | undefined;
  /** `pause` stores the run while it waits for approvals. */
  readonly approvals: ApprovalMode;
  /** True if the call of the parent, made again by another process, resumes this run. */
  readonly isResumable?: boolean;
  /** True if the run above asks the questions of this run. */
  readonly asksCaller?: boolean;
  /** Runs agents under this run. */
  readonly children: ChildRunner<AgentRun>;
  /** Present if the run was recovered: the stores from which its sub-agents are resumed. */
  readonly recovery?: RecoveryStores | undefined;
  /** First line of the task, for lists of runs; absent after a pause. */
  readonly title: string | undefined;
  /** Task that is text, for a process that continues before the task is stored; absent after a pause. */
  readonly task: string | undefined;
  /** Progress before a pause, or before its process ended. */
  readonly resumedFrom: ResumedFrom | undefined;
}

const noQuestions: ReadonlyMap<string, Question> = new Map();
const noPausedRuns: ReadonlyMap<string, PausedRun> = new Map();

/** State of one run, shared by its steps, its calls and the tools of the loop itself. */
export class AgentRun implements AgentContext {
  readonly definition: AgentDefinition;
  readonly session: InvokerSession;
  readonly agent: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: string;
  readonly conversation: Conversation;
  readonly budget: Budget | undefined;
  readonly emit: AgentEventSink | undefined;
  readonly depth: number;
  readonly priority: number;
  readonly parentRunId: string | undefined;
  readonly parentCallId: string | undefined;
  readonly isResumable: boolean;
  readonly asksCaller: boolean;
  /** True if a script waits for its result: the run then asks its user without a pause. */
  readonly isOfScript: boolean;
  readonly recovery: RecoveryStores | undefined;
  readonly title: string | undefined;
  readonly task: string | undefined;
  /** True if the run continues after a pause. */
  readonly isResumed: boolean;
  /** True if the run was claimed from the run store: its process ended, or it was paused for approvals. */
  readonly isRecovered: boolean;
  /** Epoch in which this process claimed a recovered run. */
  readonly claimedEpoch: number | undefined;
  /** True if no process has executed the run before: it was stored to begin later. */
  readonly wasQueued: boolean;
  /** True if its process ended while the run was running. */
  readonly wasInterrupted: boolean;
  /** True while the run store lists the run as running in this process. */
  isRecorded = false;
  /** Lease of an agent whose runs can be recovered. */
  lease: KeptLease | undefined;
  /** Journal of the calls of a run with a lease. */
  readonly journal: RunJournal | undefined;
  /** Present if the run pauses while it waits for approvals, or when their time has passed. */
  readonly pausing: ApprovalPause | undefined;
  readonly supervision: AgentDefinition['supervision'];
  readonly offered: OfferedTools;
  readonly systemPrompt: SystemPrompt;
  /** Open questions to the user, by call id. */
  questions: ReadonlyMap<string, Question> = noQuestions;
  /** Answers to the questions of its sub-agents. */
  answers: Readonly<Record<string, string>> = {};
  /** Paused sub-agents whose runs no store has, by the id of the call that they work for. */
  pausedSubAgents: ReadonlyMap<string, PausedRun> = noPausedRuns;
  step: number;
  usage: ModelUsage;
  /** Text of the last response. */
  text = '';
  /** Number of final answers that did not fit the schema. */
  outputFailures = 0;
  /** True until the next request, once a tool has asked for a summary of the conversation. */
  isMarkedForCompaction = false;
  /** The calls of the response that is being written or worked on. */
  calls: OpenCalls | undefined;
  /** Set once the run is to end. */
  ending: AgentEnding | undefined;
  readonly approvals: ApprovalMode;
  readonly #subAgents: SubAgents<AgentRun>;
  #skills: ActiveSkills | undefined;
  #jobs: Jobs | undefined;

  constructor(parts: AgentRunParts) {
    this.definition = parts.definition;
    this.session = parts.session;
    this.agent = parts.definition.name;
    this.runId = parts.session.runId;
    this.sessionId = parts.session.sessionId;
    this.principal = parts.session.principal;
    this.conversation = parts.conversation;
    this.budget = parts.budget;
    this.emit = parts.emit;
    this.priority = parts.priority;
    this.depth = parts.parent === undefined ? 0 : parts.parent.depth + 1;
    this.parentRunId = parts.parent?.runId;
    this.parentCallId = parts.parentCallId;
    this.isResumable = parts.isResumable ?? false;
    this.asksCaller = parts.asksCaller ?? false;
    this.isOfScript = parts.callSession !== undefined || parts.parent?.isOfScript === true;
    this.recovery = parts.recovery ?? parts.parent?.recovery;
    this.title = parts.title;
    this.task = parts.task;
    this.approvals = parts.approvals;
    this.supervision = parts.parent?.supervision ?? this.definition.supervision?.forRun();
    this.isRecovered = parts.resumedFrom?.isRecovered ?? false;
    this.claimedEpoch = parts.resumedFrom?.claimedEpoch;
    this.wasQueued = this.isRecovered && this.claimedEpoch === 1;
    this.wasInterrupted = this.isRecovered && !this.wasQueued && parts.resumedFrom?.wasPaused !== true;
    this.isResumed = parts.resumedFrom !== undefined && !this.isRecovered;
    this.step = parts.resumedFrom?.steps ?? 0;
    this.usage = parts.resumedFrom?.usage ?? noUsage;
    this.#subAgents = new SubAgents(this, parts.children);
    parts.parent?.addSubAgent(this);
    if (parts.approvals === 'pause' || this.session.onApprovalExpiry === 'park') {
      const pausing = new ApprovalPause(this, waitOfCaller(parts));
      this.session.onHumanWait((...wait) => pausing.enter(...wait));
      this.pausing = pausing;
    }
    this.offered = new OfferedTools(this.definition, this.session, parts.conversation);
    this.systemPrompt = new SystemPrompt(this);
    setAgentContext(this.session, this);
    const { journal } = this.session;
    if (this.definition.process !== undefined && journal instanceof RunJournal && journal.bind(this))
      this.journal = journal;
    for (const each of this.definition.middleware) {
      const guard = each.guard?.bind(each);
      if (guard !== undefined) this.session.guard((call) => this.#trippedReason ?? guard(call, this));
    }
  }

  // A script may continue after its call was refused; none of its further calls runs.
  get #trippedReason(): string | undefined {
    return this.ending?.reason === 'guardrail' ? this.ending.error?.message : undefined;
  }

  get skills(): ActiveSkills {
    const { skills, loopTools } = this.definition;
    return (this.#skills ??= new ActiveSkills(skills, this.session, loopTools()));
  }

  get jobs(): Jobs {
    return (this.#jobs ??= new Jobs(this));
  }

  /** True once {@link AgentRun.jobs} was used. */
  get hasJobs(): boolean {
    return this.#jobs !== undefined;
  }

  /** True if the run was cancelled only in this process. */
  get isSuspended(): boolean {
    return isSuspended(this);
  }

  /** The run and its active sub-agents, at any depth. */
  activeRuns(): readonly AgentRun[] {
    return [this, ...this.#subAgents.active.flatMap((run) => run.activeRuns())];
  }

  /** Adds a sub-agent that begins. */
  addSubAgent(run: AgentRun): void {
    this.#subAgents.begin(run);
  }

  /** Cancels an active sub-agent, at any depth, and returns its result; `undefined` if there is none with this id. */
  cancelSubAgent(runId: string, reason: string): Promise<AgentResult> | undefined {
    return this.#subAgents.cancel(runId, reason);
  }

  /** True while a sub-agent runs that no call has started. */
  get hasOpenChildren(): boolean {
    return this.#subAgents.hasOpenWithoutCall;
  }

  /** Resolves when every sub-agent has ended, or is stored for the next process. */
  childrenSettled(): Promise<void> {
    return this.#subAgents.settled();
  }

  get writer(): RunWriter | undefined {
    return this.session.lease?.writer;
  }

  get signal(): AbortSignal {
    return this.session.signal;
  }

  get messages(): readonly ModelMessage[] {
    return this.conversation.messages;
  }

  get historyLength(): number | undefined {
    return this.conversation.storedLength;
  }

  check(): void {
    this.session.check();
  }

  now(): number {
    return this.definition.invoker.clock.now();
  }

  uuid(): string {
    return crypto.randomUUID();
  }

  tool(name: string, args: JsonObject): Promise<InvocationResult> {
    const callId = this.session.nextCallId(`step_${this.step}`);
    return this.definition.invoker.invoke({ name, args, callId }, { session: this.session });
  }

  stop(reason: string, { guardrail }: { readonly guardrail?: string } = {}): void {
    if (guardrail !== undefined) {
      const { runId, sessionId, agent } = this;
      this.definition.invoker.hooks.emit({ type: 'guardrail-trip', runId, sessionId, agent, guardrail, reason });
    }
    const error = { code: guardrail === undefined ? 'E_STOPPED' : 'E_GUARDRAIL', message: reason, retryable: false };
    this.end({ status: 'stopped', reason: guardrail === undefined ? 'middleware' : 'guardrail', error });
  }

  /** Reports an event to observers and to the stream of the run. */
  notify(event: AgentEvent & HookEvent): void {
    this.definition.invoker.hooks.emit(event);
    this.emit?.(event);
  }

  /** Ends the run after the current work, unless something else ends it already. */
  end(ending: AgentEnding): void {
    this.ending ??= ending;
  }

  /** Records that a call asks the user. */
  ask(question: Question): void {
    this.questions = new Map([...this.questions, [question.callId, question]]);
  }

  /** True if a question of the sub-agent that works for this call can pause the run. */
  canAskFor(callId: string): boolean {
    if (this.calls?.isOpen(callId) === true) return true;
    return this.definition.process !== undefined && this.hasJobs && this.jobs.isActive(callId);
  }

  /** Records that the sub-agent that works for a call asks the user. `isStored`: a store has its run. */
  askFor(callId: string, paused: PausedRun, { isStored }: { readonly isStored: boolean }): void {
    if (!this.canAskFor(callId)) return;
    if (!isStored) this.pausedSubAgents = new Map([...this.pausedSubAgents, [callId, paused]]);
    for (const question of paused.questions) this.ask(questionAbove(callId, paused, question));
    if (this.hasJobs) this.jobs.wake();
  }

  /** True if a call asks the user, itself or for a sub-agent. */
  isAsking(callId: string): boolean {
    if (this.questions.size === 0) return false;
    return [...this.questions.keys()].some((id) => id === callId || id.startsWith(`${callId}.`));
  }

  /** Removes all open questions. */
  withdrawQuestions(): void {
    this.questions = noQuestions;
    this.pausedSubAgents = noPausedRuns;
  }

  /** Returns the state in which the sub-agent of a call paused, and forgets it: the sub-agent resumes. */
  takePaused(callId: string): PausedRun | undefined {
    const paused = this.pausedSubAgents.get(callId);
    if (paused === undefined) return undefined;
    this.pausedSubAgents = new Map([...this.pausedSubAgents].filter(([id]) => id !== callId));
    return paused;
  }

  spawn(agent: Agent, task: string, options: SpawnOptions & CallerOptions = {}): string {
    return this.#subAgents.spawn(agent, task, options);
  }

  join(runId: string): Promise<AgentResult> {
    return this.#subAgents.join(runId);
  }
}

// The outermost run decides when all of them pause.
function waitOfCaller({ parent, parentCallId, callSession = parent?.session }: AgentRunParts): EnterWait | undefined {
  if (callSession === undefined || parentCallId === undefined) return undefined;
  return (approvals) => callSession.enterHumanWait(parentCallId, approvals);
}
