import type { AgentResult, AgentStream, QuestionAnswer, ReActAgent, RunOptions } from '@ravi/agents';
import type { JsonObject, Logger } from '@ravi/kernel';
import { recordAgentEvent } from './agent-events.ts';
import type { EventLog } from './event-log.ts';
import type { RunRecorder } from './run-recorder.ts';

/** A task for the agent, and whose it is. */
export type AgentRequest = Pick<RunOptions, 'sessionId' | 'principal' | 'policy'> & { readonly task: string };

/** A run of the agent that goes on in this process. */
export interface AgentActivity {
  readonly runId: string;
  readonly result: Promise<AgentResult>;
}

/** Runs of the agent of the process. */
export interface AgentRunner {
  /** Begins a run; resolves once it is on record. */
  start(request: AgentRequest): Promise<AgentActivity>;
  /** Goes on with a run that asked its user. @throws KernelError as `ReActAgent.resume` */
  resume(
    point: { readonly runId: string; readonly sessionId: string; readonly principal: string },
    answer: QuestionAnswer,
  ): Promise<void>;
  /** `false` when the run does not go on here. */
  cancel(runId: string): boolean;
  /** Ends a job of a run; `false` when the run does not go on here, or the job is over. */
  stopJob(runId: string, jobId: string, reason: string): boolean;
}

/** Options of {@link createAgentRunner}. */
export interface AgentRunnerOptions {
  readonly agent: ReActAgent;
  readonly recorder: RunRecorder;
  readonly lifetime: AbortSignal;
  readonly logger: Logger;
}

interface Running {
  readonly cancelling: AbortController;
  stream: AgentStream | undefined;
}

/** A runner whose runs end with the process. */
export function createAgentRunner({ agent, recorder, lifetime, logger }: AgentRunnerOptions): AgentRunner {
  const active = new Map<string, Running>();

  async function begin(runId: string, about: JsonObject): Promise<{ log: EventLog; signal: AbortSignal }> {
    const log = await recorder.open(runId);
    if (log === undefined) throw new Error(`The run ${runId} goes on already`);
    const cancelling = new AbortController();
    active.set(runId, { cancelling, stream: undefined });
    log.append('run', { status: 'running', kind: 'agent', ...about });
    return { log, signal: AbortSignal.any([lifetime, cancelling.signal]) };
  }

  async function end(runId: string): Promise<void> {
    active.delete(runId);
    await recorder.close(runId);
  }

  /** Reads the events to their end; `onRecord` is called once the run is in the store. */
  async function follow(runId: string, log: EventLog, stream: AgentStream, onRecord: () => void): Promise<AgentResult> {
    try {
      for await (const event of stream) {
        recordAgentEvent(log, event);
        if (event.type !== 'run-start') onRecord();
      }
      return await stream.result;
    } finally {
      await end(runId);
    }
  }

  return {
    async start({ task, ...options }) {
      const runId = `run_${crypto.randomUUID()}`;
      const { log, signal } = await begin(runId, { task });
      const { promise: recorded, resolve } = Promise.withResolvers<void>();
      const stream = agent.stream(task, { ...options, runId, signal });
      const running = active.get(runId);
      if (running !== undefined) running.stream = stream;
      const result = follow(runId, log, stream, resolve);
      await Promise.race([recorded, result]);
      return { runId, result };
    },
    async resume({ runId, ...point }, answer) {
      const { log, signal } = await begin(runId, { isResumed: true });
      const result = agent.resume(point, answer, { signal });
      result
        .then(
          (ended) => recordAgentEvent(log, { type: 'run-end', result: ended }),
          (error: unknown) => logger.warn('a run could not go on', { runId, error }),
        )
        .then(() => end(runId))
        .catch((error: unknown) => logger.error('the events of a run were lost', { runId, error }));
    },
    cancel(runId) {
      const running = active.get(runId);
      running?.cancelling.abort('The run was cancelled');
      return running !== undefined;
    },
    stopJob: (runId, jobId, reason) => active.get(runId)?.stream?.stopJob(jobId, reason) ?? false,
  };
}
