import type { RecordableEvent } from '@ravi/api';
import type {
  AgentEvent,
  AgentResult,
  AgentStream,
  ReActAgent,
  QuestionAnswer,
  RecoverOptions,
  RunOptions,
} from '@ravi/agents';
import { KernelError, textOf } from '@ravi/kernel';
import type { ModelMessage, Run, RunBlock } from '@ravi/kernel';
import type { AgentSet, ConfiguredAgent } from '../agents/agent-set.ts';
import type { RunRecorder } from './run-recorder.ts';
import { notStarted } from './with-start-limit.ts';

/** A task for the agent and its principal. */
export type AgentRequest = Pick<
  RunOptions,
  'runId' | 'sessionId' | 'principal' | 'policy' | 'approvals' | 'allowedTools'
> & {
  readonly task: string;
  /** Name of the agent; the default agent when absent. */
  readonly agent?: string;
};

/** A run of the agent that is active in this process. */
export interface AgentActivity {
  readonly runId: string;
  readonly result: Promise<AgentResult>;
}

/**
 * Runs the agent of the process. Disposing it suspends active runs and waits until they are stored; the next process resumes
 * them.
 */
export interface AgentRunner extends AsyncDisposable {
  /** Starts a run and resolves once it is stored. @throws KernelError `E_SESSION_BUSY`, `E_AGENT_UNKNOWN` */
  start(request: AgentRequest): Promise<AgentActivity>;
  /** Stores a run that a process of the installation begins later. @throws KernelError `E_SESSION_BUSY`, `E_AGENT_UNKNOWN` */
  enqueue(request: AgentRequest): Promise<Run>;
  /**
   * Resumes a run that asked its user, and resolves once the answer is stored.
   * @throws KernelError as `ReActAgent.resume`; `E_RUN_SUSPENDED`, `E_STATE_UNAVAILABLE` or `E_STATE_CONFLICT` if the answer is
   * not stored
   */
  resume(run: Run, answer: QuestionAnswer): Promise<AgentActivity>;
  /** Recovers a run whose process ended. @throws KernelError as `ReActAgent.recover` */
  recover(run: Run): Promise<AgentActivity>;
  /** True if it is a run of one of these agents, and not that of a sub-agent. */
  owns(run: Run): boolean;
  /** Returns the block of a run whose agent is not configured here; `undefined` for every other run. */
  blockOf(run: Run): RunBlock | undefined;
  /** Number of outermost runs that are active in this process. */
  readonly active: number;
  /** True if the run is active in this process. */
  has(runId: string): boolean;
  /** Resolves when the run is not active in this process. */
  settled(runId: string): Promise<void>;
  /** Cancels a run and returns its result; `undefined` if it is not active in this process. */
  cancel(runId: string): Promise<AgentResult> | undefined;
  /** Cancels an active sub-agent below an outermost run, in the same way. The runs above it continue, and read `reason`. */
  cancelBelow(outermostId: string, runId: string, reason: string): Promise<AgentResult> | undefined;
  /**
   * Ends a job of an outermost run, or of a run below it, and resolves once that is stored. Resolves with `false` if the run is
   * not active in this process, or the job has ended. A run that is about to pause, or to leave this process, does that first and keeps its jobs: `false` too.
   */
  stopJob(runId: string, jobId: string, reason: string): Promise<boolean>;
}

/** Options of {@link createAgentRunner}. */
export interface AgentRunnerOptions {
  readonly agents: Pick<AgentSet, 'defaultName'> & {
    readonly all: ReadonlyMap<string, Pick<ConfiguredAgent, 'agent'>>;
  };
  readonly recorder: RunRecorder;
  /** Stores from which an interrupted run is recovered. */
  readonly stores: Required<Pick<RecoverOptions, 'journal' | 'approvals'>>;
  readonly lifetime: AbortSignal;
}

interface Running {
  readonly cancelling: AbortController;
  stream?: AgentStream;
  result?: Promise<AgentResult>;
}

/** Creates a runner of the agents of a process. */
export function createAgentRunner({ agents, recorder, stores, lifetime }: AgentRunnerOptions): AgentRunner {
  const active = new Map<string, Running>();
  lifetime.addEventListener('abort', suspendAll, { once: true });

  function suspendAll(): void {
    const message = 'The process is shutting down';
    const cause = new KernelError('E_RUN_SUSPENDED', message);
    for (const { cancelling } of active.values()) cancelling.abort(new KernelError('E_CANCELLED', message, { cause }));
  }

  function checkOpen(): void {
    if (lifetime.aborted)
      throw new KernelError('E_RUN_SUSPENDED', 'The process is shutting down; no further run starts');
  }

  async function begin(
    runId: string,
    task: string | undefined,
    open: (signal: AbortSignal) => AgentStream,
  ): Promise<AgentActivity & { readonly hasBegun: boolean }> {
    checkOpen();
    if (active.has(runId)) throw new KernelError('E_STATE_CONFLICT', `Run ${runId} is already active in this process`);
    const running: Running = { cancelling: new AbortController() };
    active.set(runId, running);
    const { promise: begun, resolve } = Promise.withResolvers<true>();
    running.result = follow(runId, task, { running, open, onBegun: () => resolve(true) });
    running.result.catch(() => {});
    const hasBegun = (await Promise.race([begun, running.result])) === true;
    return { runId, result: running.result, hasBegun };
  }

  /**
   * Records the events to their end. `onBegun` is called once the store has the run as running, and the answer with which it is
   * resumed.
   */
  async function follow(
    runId: string,
    task: string | undefined,
    { running, open, onBegun }: { running: Running; open: (signal: AbortSignal) => AgentStream; onBegun: () => void },
  ): Promise<AgentResult> {
    try {
      // Opened before the run begins, because its hooks are recorded too.
      await recorder.open(runId, { isNew: task !== undefined });
      const stream = open(running.cancelling.signal);
      running.stream = stream;
      stream.observe((event) => {
        if (event.type !== 'run-start' && event.type !== 'run-end') onBegun();
        const recordable = recordableEvent(event, task);
        if (recordable !== undefined) recorder.active(runId)?.append(recordable);
      });
      // Every event is read, so that none stays in memory.
      for await (const event of stream) {
        const refusal = refusalOf(event);
        if (refusal !== undefined) throw refusal;
      }
      return await stream.result;
    } finally {
      // First, so that a resumed run opens a log of its own.
      await recorder.close(runId);
      active.delete(runId);
    }
  }

  function agentNamed(name: string): ReActAgent {
    const found = agents.all.get(name);
    if (found !== undefined) return found.agent;
    const known = [...agents.all.keys()].join(', ');
    throw new KernelError('E_AGENT_UNKNOWN', `There is no agent "${name}". Agents of this server: ${known}`);
  }

  return {
    async start({ task, agent: name = agents.defaultName, runId = `run_${crypto.randomUUID()}`, ...options }) {
      const agent = agentNamed(name);
      return begin(runId, task, (signal) => agent.stream(task, { ...options, runId, signal }));
    },
    async enqueue({ task, agent: name = agents.defaultName, ...options }) {
      checkOpen();
      return agentNamed(name).enqueue(task, { ...options, signal: lifetime });
    },
    async resume(run, answer) {
      const { id: runId, sessionId, principal } = run;
      const agent = agentNamed(nameOf(run));
      const open = (signal: AbortSignal): AgentStream =>
        agent.resumeStream({ runId, sessionId, principal }, answer, { signal, stores });
      const { hasBegun, ...activity } = await begin(runId, undefined, open);
      if (!hasBegun) refuseLostAnswer(await activity.result);
      return activity;
    },
    async recover(run) {
      const agent = agentNamed(nameOf(run));
      return begin(run.id, undefined, (signal) => agent.recover(run, { ...stores, signal }));
    },
    owns: (run) => run.parentRunId === undefined && agents.all.has(nameOf(run)),
    blockOf(run) {
      if (run.definition.kind !== 'agent' || run.parentRunId !== undefined || agents.all.has(nameOf(run)))
        return undefined;
      const name = nameOf(run);
      const message = `The run cannot be resumed, because this is missing: the agent ${name}`;
      return { message, needs: [{ kind: 'agent', name, state: 'missing' }] };
    },
    get active() {
      return active.size;
    },
    has: (runId) => active.has(runId),
    async settled(runId) {
      await active.get(runId)?.result?.catch(() => {});
    },
    cancel(runId) {
      const running = active.get(runId);
      running?.cancelling.abort('The run was cancelled');
      return running?.result;
    },
    cancelBelow: (outermostId, runId, reason) => active.get(outermostId)?.stream?.cancelSubAgent(runId, reason),
    async stopJob(runId, jobId, reason) {
      const { stream, result } = active.get(runId) ?? {};
      const isStopped = stream?.stopJob(jobId, reason) === true;
      if (isStopped) await stream.jobsStored();
      else if (stream?.isLeaving === true) await result?.catch(() => {});
      return isStopped;
    },
    async [Symbol.asyncDispose]() {
      suspendAll();
      await Promise.allSettled([...active.values()].flatMap(({ result }) => (result === undefined ? [] : [result])));
    },
  };
}

function nameOf({ definition }: Run): string {
  const name = definition.details?.['agent'];
  return typeof name === 'string' ? name : '';
}

// The questions of the run are still open, or another answer was first.
function refuseLostAnswer({ status, error }: AgentResult): void {
  if (error === undefined) return;
  const code = status === 'paused' ? 'E_STATE_UNAVAILABLE' : error.code;
  if (!codesOfLostAnswers.has(code)) return;
  const advice = code === 'E_STATE_CONFLICT' ? '' : ': send it again';
  throw new KernelError(code, `The answer is not stored${advice}. ${error.message}`);
}

const codesOfLostAnswers: ReadonlySet<string> = new Set(['E_RUN_SUSPENDED', 'E_STATE_UNAVAILABLE', 'E_STATE_CONFLICT']);

// Such a run is not stored.
function refusalOf(event: AgentEvent): KernelError | undefined {
  if (event.type !== 'run-end' || event.error === undefined) return undefined;
  const { code, message } = event.error;
  if (code === 'E_NOT_STARTED') return notStarted(message);
  return codesOfRefusals.has(code) ? new KernelError(code, message) : undefined;
}

const codesOfRefusals: ReadonlySet<string> = new Set(['E_SESSION_BUSY', 'E_CALL_UNKNOWN']);

/**
 * Returns the event for the record; `undefined` for one that hooks or the run store report, as it does the start of a run that
 * this process resumes, and for whole content.
 */
function recordableEvent(event: AgentEvent, task: string | undefined): RecordableEvent | undefined {
  switch (event.type) {
    case 'run-start':
      return task === undefined ? undefined : { ...event, task };
    case 'message':
      return textOfResponse(event.message);
    case 'model-delta':
    case 'model-retry':
    case 'reasoning-delta':
    case 'tool-progress':
      return event;
    default:
      return undefined;
  }
}

function textOfResponse({ role, content }: ModelMessage): RecordableEvent | undefined {
  if (role !== 'assistant') return undefined;
  const text = textOf(content.filter((block) => block.type === 'text'));
  const reasoning = content.flatMap((block) => (block.type === 'reasoning' ? [block.text] : [])).join('');
  if (text === '' && reasoning === '') return undefined;
  return { type: 'model-text', text, ...(reasoning === '' ? {} : { reasoning }) };
}
