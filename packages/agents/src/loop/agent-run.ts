import type { InvokerSession } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { InvocationResult, JsonObject, ModelMessage, ModelUsage, ToolContext, ToolRegistry } from '@ravi/kernel';
import { randomId } from '@ravi/support';
import { agentContextOf, setAgentContext } from '../agent/agent-context.ts';
import type { Agent, AgentContext, SpawnOptions } from '../agent/agent-context.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentEventSink } from '../agent/agent-event.ts';
import type { AgentEnding, AgentResult } from '../agent/agent-result.ts';
import type { Budget } from '../agent/budget.ts';
import type { Question } from '../agent/paused-run.ts';
import { UsageEstimate } from '../agent/usage.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { noUsage } from '../conversation/model-response.ts';
import { Jobs } from '../jobs/jobs.ts';
import { OfferedTools } from '../prompt/offered-tools.ts';
import { SystemPrompt } from '../prompt/system-prompt.ts';
import { ActiveSkills } from '../skills/active-skills.ts';
import type { Supervision } from '../supervision/supervision.ts';
import type { KeptLease } from './keep-lease.ts';

/** Parts of an {@link AgentRun}. */
export interface AgentRunParts {
  readonly definition: AgentDefinition;
  readonly session: InvokerSession;
  readonly conversation: Conversation;
  readonly budget: Budget | undefined;
  readonly emit: AgentEventSink | undefined;
  readonly priority: number;
  readonly parent: AgentRun | undefined;
  /** Starts an agent under this run. */
  readonly startChild: (parent: AgentRun, agent: Agent, task: string, options: ChildOptions) => Promise<AgentResult>;
  /** First line of the task, for lists of runs; absent after a pause. */
  readonly title: string | undefined;
  /** Progress before a pause, or before its process ended. */
  readonly resumedFrom: ResumedFrom | undefined;
}

/** Progress of a run when it stopped. */
export interface ResumedFrom {
  readonly steps: number;
  readonly usage: ModelUsage;
  /** True if the process of the run ended: the run store already lists the run as running, and as ours. */
  readonly isRecovered?: boolean;
}

/** Options of a sub-agent whose run id is known. */
export interface ChildOptions extends SpawnOptions {
  readonly runId: string;
}

/** The calls of the current response, as streams and tools use them. */
export interface OpenCalls {
  /** True while the step waits for the result of this call. */
  isOpen(callId: string): boolean;
  /** Turns a running call into a job. Returns `false` if it cannot become one. */
  promote(callId: string): boolean;
}

/** Returns the run whose model called the tool; `undefined` for a call of a script or without an agent. */
export function runOf(context: ToolContext): AgentRun | undefined {
  const run = agentContextOf(context);
  return run instanceof AgentRun ? run : undefined;
}

const noQuestions: ReadonlyMap<string, Question> = new Map();

/** State of one run, shared by its steps, its calls and the tools of the loop itself. */
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
  /** True if the run continues after a pause. */
  readonly isResumed: boolean;
  /** True if the run continues after its process ended. */
  readonly isRecovered: boolean;
  /** True while the run store lists the run as running in this process. */
  isRecorded = false;
  /** Lease of an agent whose runs can be recovered. */
  lease: KeptLease | undefined;
  readonly supervision: Supervision | undefined;
  readonly offered: OfferedTools;
  readonly systemPrompt: SystemPrompt;
  /** Open questions to the user, by call id. */
  questions: ReadonlyMap<string, Question> = noQuestions;
  step: number;
  usage: ModelUsage;
  /** Text of the last response. */
  text = '';
  /** Number of final answers that did not fit the schema. */
  outputFailures = 0;
  /** The calls of the response that is being written or worked on. */
  calls: OpenCalls | undefined;
  /** Set once the run is to end. */
  ending: AgentEnding | undefined;
  readonly #startChild: AgentRunParts['startChild'];
  #children: Map<string, Promise<AgentResult>> | undefined;
  #skills: ActiveSkills | undefined;
  #jobs: Jobs | undefined;
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
    this.isRecovered = parts.resumedFrom?.isRecovered ?? false;
    this.isResumed = parts.resumedFrom !== undefined && !this.isRecovered;
    this.step = parts.resumedFrom?.steps ?? 0;
    this.usage = parts.resumedFrom?.usage ?? noUsage;
    this.#startChild = parts.startChild;
    this.offered = new OfferedTools(this.definition, this.session);
    this.systemPrompt = new SystemPrompt(this);
    setAgentContext(this.session, this);
  }

  get skills(): ActiveSkills {
    const { skills, loopTools } = this.definition;
    return (this.#skills ??= new ActiveSkills(skills, this.session, loopTools));
  }

  get jobs(): Jobs {
    return (this.#jobs ??= new Jobs(this));
  }

  /** True once {@link AgentRun.jobs} was used. */
  get hasJobs(): boolean {
    return this.#jobs !== undefined;
  }

  /** Estimates the tokens of requests. */
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
    this.end({ status: 'stopped', reason: guardrail === undefined ? 'middleware' : 'guardrail', error });
  }

  /** Ends the run after the current work, unless something else ends it already. */
  end(ending: AgentEnding): void {
    this.ending ??= ending;
  }

  /** Ends the run because a limit of its budget is reached. */
  exceed(message: string): void {
    this.end({ status: 'stopped', reason: 'budget', error: { code: 'E_BUDGET_EXHAUSTED', message, retryable: false } });
  }

  /** Records that a call asks the user. */
  ask(question: Question): void {
    this.questions = new Map([...this.questions, [question.callId, question]]);
  }

  /** Removes all open questions. */
  withdrawQuestions(): void {
    this.questions = noQuestions;
  }

  spawn(agent: Agent, task: string, options: SpawnOptions = {}): string {
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
      return Promise.reject(new KernelError('E_STATE_INVALID', `This run has no sub-agent ${runId}`));
    return child;
  }
}
