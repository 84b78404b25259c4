import type { AgentResult, AgentStream, QuestionAnswer, ReActAgent, RecoverOptions, RunOptions } from '@ravi/agents';
import { KernelError } from '@ravi/kernel';
import type { JsonObject, Run } from '@ravi/kernel';
import { recordAgentEvent } from './agent-events.ts';
import type { RunRecorder } from './run-recorder.ts';

/** A task for the agent, and whose it is. */
export type AgentRequest = Pick<RunOptions, 'sessionId' | 'principal' | 'policy'> & { readonly task: string };

/** A run of the agent that goes on in this process. */
export interface AgentActivity {
  readonly runId: string;
  readonly result: Promise<AgentResult>;
}

/**
 * Runs of the agent of the process. Those that still go on when it ends are left to the next process: disposing it waits
 * until they are.
 */
export interface AgentRunner extends AsyncDisposable {
  /** Begins a run; resolves once it is on record. */
  start(request: AgentRequest): Promise<AgentActivity>;
  /** Goes on with a run that asked its user; resolves once it does. @throws KernelError as `ReActAgent.resume` */
  resume(
    point: { readonly runId: string; readonly sessionId: string; readonly principal: string },
    answer: QuestionAnswer,
  ): Promise<AgentActivity>;
  /** Goes on with a run whose process ended; resolves once it does. @throws KernelError as `ReActAgent.recover` */
  recover(run: Run): Promise<AgentActivity>;
  /** Whether it is a run of this agent. */
  owns(run: Run): boolean;
  /** Whether the run goes on here. */
  has(runId: string): boolean;
  /** `false` when the run does not go on here. */
  cancel(runId: string): boolean;
  /** Ends a job of a run; `false` when the run does not go on here, or the job is over. */
  stopJob(runId: string, jobId: string, reason: string): boolean;
}

/** Options of {@link createAgentRunner}. */
export interface AgentRunnerOptions {
  readonly agent: ReActAgent;
  readonly recorder: RunRecorder;
  readonly journal: RecoverOptions['journal'];
  readonly lifetime: AbortSignal;
}

interface Running {
  readonly cancelling: AbortController;
  stream?: AgentStream;
  result?: Promise<AgentResult>;
}

/** A runner of one agent. */
export function createAgentRunner({ agent, recorder, journal, lifetime }: AgentRunnerOptions): AgentRunner {
  const active = new Map<string, Running>();
  lifetime.addEventListener('abort', suspendAll, { once: true });

  function suspendAll(): void {
    const message = 'The process is shutting down';
    const cause = new KernelError('E_RUN_SUSPENDED', message);
    for (const { cancelling } of active.values()) cancelling.abort(new KernelError('E_CANCELLED', message, { cause }));
  }

  async function begin(
    runId: string,
    about: JsonObject,
    open: (signal: AbortSignal) => AgentStream,
  ): Promise<AgentActivity> {
    if (lifetime.aborted)
      throw new KernelError('E_RUN_SUSPENDED', 'The process is shutting down; no run begins any more');
    if (active.has(runId)) throw new KernelError('E_STATE_CONFLICT', `The run ${runId} goes on here already`);
    const running: Running = { cancelling: new AbortController() };
    active.set(runId, running);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    running.result = follow(runId, about, { running, open, onBegun: resolve });
    running.result.catch(() => {});
    await Promise.race([begun, running.result]);
    return { runId, result: running.result };
  }

  /** Reads the events to their end; `onBegun` is called once the store has the run as running. */
  async function follow(
    runId: string,
    about: JsonObject,
    { running, open, onBegun }: { running: Running; open: (signal: AbortSignal) => AgentStream; onBegun: () => void },
  ): Promise<AgentResult> {
    try {
      // Open before the run begins, since its hooks are written down too.
      const log = await recorder.open(runId);
      const stream = open(running.cancelling.signal);
      running.stream = stream;
      for await (const event of stream) {
        if (event.type === 'run-start') log?.append('run', { status: 'running', kind: 'agent', ...about });
        else onBegun();
        if (log !== undefined) recordAgentEvent(log, event);
      }
      return await stream.result;
    } finally {
      active.delete(runId);
      await recorder.close(runId);
    }
  }

  return {
    start({ task, ...options }) {
      const runId = `run_${crypto.randomUUID()}`;
      return begin(runId, { task }, (signal) => agent.stream(task, { ...options, runId, signal }));
    },
    resume: (point, answer) =>
      begin(point.runId, { isResumed: true }, (signal) => agent.resumeStream(point, answer, { signal })),
    recover: (run) =>
      begin(run.id, { isResumed: true, wasInterrupted: true }, (signal) => agent.recover(run, { journal, signal })),
    owns: ({ definition }) => definition.details?.['agent'] === agent.name,
    has: (runId) => active.has(runId),
    cancel(runId) {
      const running = active.get(runId);
      running?.cancelling.abort('The run was cancelled');
      return running !== undefined;
    },
    stopJob: (runId, jobId, reason) => active.get(runId)?.stream?.stopJob(jobId, reason) ?? false,
    async [Symbol.asyncDispose]() {
      suspendAll();
      await Promise.allSettled([...active.values()].flatMap(({ result }) => (result === undefined ? [] : [result])));
    },
  };
}
