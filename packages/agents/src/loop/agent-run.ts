import { sessionBlobs, sessionOf } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import { errorResult, isInvocationResult } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';
import type {
  InvocationResult,
  JsonObject,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelUsage,
  Timer,
  ToolContext,
  ToolRegistry,
  ToolUseBlock,
} from '@ravi/kernel';
import { errorText, randomId } from '@ravi/support';
import type { KeptLease } from '../durable/keep-lease.ts';
import { Jobs } from '../execution/jobs.ts';
import { OfferedTools } from '../prompt/offered-tools.ts';
import { SystemPrompt } from '../prompt/system-prompt.ts';
import type { Question } from '../questions/paused-run.ts';
import { ActiveSkills } from '../skills/active-skills.ts';
import type { Supervision } from '../supervision/supervision.ts';
import { writeInPlace } from '../supervision/write-in-place.ts';
import { agentContextOf, setAgentContext } from './agent-context.ts';
import type { AgentContext, SpawnOptions } from './agent-context.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AgentEventSink } from './agent-event.ts';
import type { AgentEnding, AgentResult } from './agent-result.ts';
import { noUsage } from './answer.ts';
import type { Budget } from './budget.ts';
import type { Conversation, TurnDetails } from './conversation.ts';
import { UsageEstimate } from './estimate-usage.ts';
import { ModelCall } from './late-values.ts';
import { wrapModel, wrapTool } from './middleware.ts';
import type { ReActAgent } from './react-agent.ts';
import type { AgentRunParts } from './run-parts.ts';
import type { TurnCalls } from './turn-calls.ts';
import { addUsage } from './usage.ts';

/** The run that a tool was called by directly; `undefined` for a call of a script or of no agent. */
export function runOf(context: ToolContext): AgentRun | undefined {
  const session = sessionOf(context);
  const run = session && agentContextOf(session);
  return run instanceof AgentRun ? run : undefined;
}

const none: ReadonlyMap<string, Question> = new Map();

/** The state of one run: what its steps, its calls and the tools of the loop itself share. */
export class AgentRun implements AgentContext {
  readonly definition: AgentDefinition;
  readonly session: InvokerSession;
  readonly conversation: Conversation;
  readonly budget: Budget | undefined;
  readonly emit: AgentEventSink | undefined;
  readonly depth: number;
  readonly priority: number;
  readonly parentRunId: string | undefined;
  readonly title: string | undefined;
  /** It goes on after a pause. */
  readonly isResumed: boolean;
  /** It goes on after its process ended. */
  readonly isTaken: boolean;
  /** The run store has it as running, by us. */
  isRecorded = false;
  /** Held while it runs, where runs outlive the process. */
  lease: KeptLease | undefined;
  readonly supervision: Supervision | undefined;
  readonly offered: OfferedTools;
  readonly #system: SystemPrompt;
  /** Open questions by call. */
  questions: ReadonlyMap<string, Question> = none;
  step: number;
  usage: ModelUsage;
  /** Text of the last answer. */
  text = '';
  /** Times that the final answer did not fit its schema. */
  outputFailures = 0;
  /** The calls of the answer that is written or worked on. */
  turn: TurnCalls | undefined;
  /** Set once something wants the run to end. */
  ending: AgentEnding | undefined;
  readonly #startChild: AgentRunParts['startChild'];
  #writes: Set<Promise<unknown>> | undefined;
  #children: Map<string, Promise<AgentResult>> | undefined;
  #skills: ActiveSkills | undefined;
  #jobs: Jobs | undefined;
  #timeLimit: Timer | undefined;
  #estimate: UsageEstimate | undefined;

  constructor(parts: AgentRunParts) {
    this.definition = parts.definition;
    this.session = parts.session;
    this.conversation = parts.conversation;
    this.budget = parts.budget;
    this.emit = parts.emit;
    this.priority = parts.priority;
    this.depth = parts.parent === undefined ? 0 : parts.parent.depth + 1;
    this.parentRunId = parts.parent?.runId;
    this.title = parts.title;
    this.supervision = parts.parent?.supervision ?? this.definition.supervision;
    this.isTaken = parts.before?.isTaken ?? false;
    this.isResumed = parts.before !== undefined && !this.isTaken;
    this.step = parts.before?.steps ?? 0;
    this.usage = parts.before?.usage ?? noUsage;
    this.#startChild = parts.startChild;
    this.offered = new OfferedTools(this.definition, this.session);
    this.#system = new SystemPrompt(this);
    setAgentContext(this.session, this);
  }

  get skills(): ActiveSkills {
    const { skills, loopTools } = this.definition;
    return (this.#skills ??= new ActiveSkills(skills, this.session, loopTools));
  }

  get jobs(): Jobs {
    return (this.#jobs ??= new Jobs(this));
  }

  /** Whether anything has been made a job of, or looked for among jobs. */
  get hasJobs(): boolean {
    return this.#jobs !== undefined;
  }

  /** Of the tokens of its requests. */
  get estimate(): UsageEstimate {
    return (this.#estimate ??= new UsageEstimate());
  }

  get agent(): string {
    return this.definition.name;
  }

  get runId(): string {
    return this.session.runId;
  }

  get sessionId(): string {
    return this.session.sessionId;
  }

  get principal(): string {
    return this.session.principal;
  }

  get signal(): AbortSignal {
    return this.session.signal;
  }

  get messages(): readonly ModelMessage[] {
    return this.conversation.messages;
  }

  get registry(): ToolRegistry {
    return this.definition.invoker.registry;
  }

  /** Whether running calls may become jobs. */
  get isPromotable(): boolean {
    return this.definition.promoteAfterMs !== undefined || this.emit !== undefined;
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
      this.definition.invoker.hooks.emit('guardrail-trip', { runId, sessionId, agent, guardrail, reason });
    }
    const error = { code: guardrail === undefined ? 'E_STOPPED' : 'E_GUARDRAIL', message: reason, retryable: false };
    this.ending ??= { status: 'stopped', reason: guardrail === undefined ? 'middleware' : 'guardrail', error };
  }

  /** A call asks a human. */
  ask(question: Question): void {
    this.questions = new Map([...this.questions, [question.callId, question]]);
  }

  /** Nobody is asked. */
  withdrawQuestions(): void {
    this.questions = none;
  }

  /** Ends the run for a bound of its budget. */
  exceed(message: string): void {
    const error = { code: 'E_BUDGET_EXHAUSTED', message, retryable: false };
    this.ending ??= { status: 'stopped', reason: 'budget', error };
  }

  /** Starts the clock of the budget. */
  watchTime(): void {
    const remainingMs = this.budget?.remainingMs;
    if (remainingMs === undefined) return;
    this.#timeLimit = this.definition.invoker.clock.setTimer(() => {
      this.exceed('The time of the budget (maxTimeMs) is over');
      this.session.cancel('The time of the budget is over');
    }, remainingMs);
  }

  /** Calls `promote` after `promoteAfterMs`, when the agent has such a bound. */
  promoteLater(promote: () => void): Timer | undefined {
    const { promoteAfterMs, invoker } = this.definition;
    return promoteAfterMs === undefined ? undefined : invoker.clock.setTimer(promote, promoteAfterMs);
  }

  /** Nothing fires any more. */
  dispose(): void {
    this.#timeLimit?.cancel();
  }

  /** What the model is asked now. */
  request(): ModelRequest | Promise<ModelRequest> {
    const { view } = this.definition;
    const { messages } = this.conversation;
    if (view === undefined) return this.#requestWith([...messages]);
    return Promise.resolve(view.view(messages, { signal: this.signal })).then((shown) => this.#requestWith(shown));
  }

  #requestWith(messages: readonly ModelMessage[]): ModelRequest {
    const { definition } = this;
    const system = this.#system.text;
    return {
      ...definition.request,
      ...(system === '' ? {} : { system }),
      messages,
      tools: this.offered.specs(),
      ...(definition.output === undefined ? {} : { output: definition.output.request }),
    };
  }

  /** The model with its middleware. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const { model, middleware, invoker } = this.definition;
    const { artifactStore } = invoker;
    const blobs = artifactStore === undefined ? undefined : sessionBlobs(this.session, artifactStore);
    const ask = (asked: ModelRequest): AsyncIterable<ModelEvent> =>
      model.stream(asked, new ModelCall(this.session, blobs));
    return wrapModel(
      middleware,
      this,
      this.supervision === undefined ? ask : this.#inPlace(this.supervision, ask),
    )(request);
  }

  #inPlace(
    supervision: Supervision,
    ask: (asked: ModelRequest) => AsyncIterable<ModelEvent>,
  ): (asked: ModelRequest) => AsyncIterable<ModelEvent> {
    const { priority, session, definition } = this;
    const writer = { priority, cancellation: session.cancellation, clock: definition.invoker.clock };
    return (asked) => writeInPlace(supervision, writer, () => ask(asked));
  }

  /** One call of the model: middleware, then the invoker. Rejects when the run or the call is cancelled, and only then. */
  invoke(call: ToolUseBlock, signal: AbortSignal | undefined): Promise<InvocationResult> {
    const { middleware } = this.definition;
    if (middleware.length === 0) return this.#invoke(call, call.id, signal);
    let attempts = 0;
    // Each is a call of its own, with its own approval and its own record.
    const core = (made: ToolUseBlock): Promise<InvocationResult> =>
      this.#invoke(made, ++attempts === 1 ? call.id : `${call.id}.attempt_${attempts}`, signal);
    return this.#guarded(call, wrapTool(middleware, this, core), signal);
  }

  #invoke(
    { name, arguments: args, callType: type, caller }: ToolUseBlock,
    callId: string,
    signal: AbortSignal | undefined,
  ): Promise<InvocationResult> {
    const { session } = this;
    return this.definition.invoker.invoke({ name, args, callId, type }, { session, caller, signal });
  }

  spawn(agent: ReActAgent, task: string, options: SpawnOptions = {}): string {
    this.supervision?.admit(this.depth + 1);
    const { runId, sessionId } = this;
    const childRunId = randomId('run');
    this.definition.invoker.hooks.emit('handoff', { runId, sessionId, agent: this.agent, to: agent.name, childRunId });
    this.#children ??= new Map();
    this.#children.set(childRunId, this.#startChild(this, agent, task, { ...options, runId: childRunId }));
    return childRunId;
  }

  join(runId: string): Promise<AgentResult> {
    const child = this.#children?.get(runId);
    if (child === undefined)
      return Promise.reject(new KernelError('E_STATE_INVALID', `There is no sub-agent ${runId}`));
    return child;
  }

  /** Something is being stored that the run need not wait for before its end. */
  writing(write: Promise<unknown>): void {
    this.#writes ??= new Set();
    this.#writes.add(write);
    void write.finally(() => this.#writes?.delete(write));
  }

  /** Waits for what is being stored. */
  async flush(): Promise<void> {
    if (this.#writes !== undefined) await Promise.all(this.#writes);
  }

  /** Adds to what the answers of this run used. */
  spend(usage: ModelUsage): void {
    this.usage = addUsage(this.usage, usage);
  }

  /**
   * Adds a message and waits until it is stored. A run that another process may have by now asks first.
   * @throws KernelError of the stores, `E_CANCELLED` when it has
   */
  say(message: ModelMessage, details?: JsonObject): Promise<void> | undefined {
    const { lease } = this;
    if (lease === undefined || lease.isCertain) return this.#say(message, details);
    return lease.confirm().then((isOurs) => (isOurs ? this.#say(message, details) : this.check()));
  }

  #say(message: ModelMessage, details: JsonObject | undefined): Promise<void> | undefined {
    const saving = this.conversation.append(message, this.turnDetails(details));
    if (this.emit === undefined || message.content.length === 0) return saving;
    if (saving !== undefined) return saving.then(() => this.emit?.({ type: 'message', message }));
    this.emit({ type: 'message', message });
    return undefined;
  }

  turnDetails(details?: JsonObject): TurnDetails {
    return { runId: this.runId, createdAt: this.now(), ...(details === undefined ? {} : { details }) };
  }

  async #guarded(
    call: ToolUseBlock,
    wrapped: (call: ToolUseBlock) => Promise<InvocationResult>,
    signal: AbortSignal | undefined,
  ): Promise<InvocationResult> {
    try {
      const result: unknown = await wrapped(call);
      if (isInvocationResult(result)) return result;
      throw new TypeError('tool middleware must give an InvocationResult');
    } catch (error) {
      if (this.session.cancellation.isCancelled || signal?.aborted === true) throw error;
      this.definition.logger.error('tool middleware failed', { tool: call.name, error: errorText(error) });
      return errorResult('E_INTERNAL', `The call of ${call.name} failed inside the runtime`);
    }
  }
}
