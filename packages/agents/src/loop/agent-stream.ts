import type { AgentEvent, AgentEventSink } from '../agent/agent-event.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** The calls of the current response, as streams and tools use them. */
export interface OpenCalls {
  /** True while the step waits for the result of this call. */
  isOpen(callId: string): boolean;
  /** Turns a running call into a job. Returns `false` if it cannot become one. */
  promote(callId: string): boolean;
}

/** Parts of a run that its stream controls. */
export interface StreamedRun {
  readonly calls: OpenCalls | undefined;
  readonly jobs: Jobs;
  readonly hasJobs: boolean;
  readonly isSuspended: boolean;
  /** The run and its active sub-agents, at any depth. */
  activeRuns(): readonly Pick<StreamedRun, 'hasJobs' | 'jobs'>[];
  cancelSubAgent(runId: string, reason: string): Promise<AgentResult> | undefined;
}

/** Callbacks and signal that connect a run to its stream. */
export interface StreamParts {
  readonly signal: AbortSignal;
  readonly emit: AgentEventSink;
  readonly onStart: (run: StreamedRun) => void;
}

/**
 * Events of a run. They are buffered until they are read, and each is read once: concurrent readers share them. The last
 * one is `run-end` or `run-paused`. The run starts at once, read or not, and is cancelled when the last reader stops before the end.
 */
export class AgentStream implements AsyncIterable<AgentEvent> {
  /** Result of the run. */
  readonly result: Promise<AgentResult>;
  readonly #controller = new AbortController();
  readonly #events: AgentEvent[] = [];
  readonly #observers: AgentEventSink[] = [];
  #run: StreamedRun | undefined;
  #isOver = false;
  #readers = 0;
  #news: PromiseWithResolvers<void> | undefined;

  constructor(signal: AbortSignal | undefined, start: (parts: StreamParts) => Promise<AgentResult>) {
    const own = this.#controller.signal;
    this.result = start({
      signal: signal === undefined ? own : AbortSignal.any([signal, own]),
      emit: (event) => this.#push(event),
      onStart: (run) => {
        this.#run = run;
      },
    });
    this.result.catch(() => this.#end());
  }

  /** Cancels the run. Every open call still gets a result. */
  cancel(reason = 'The run was cancelled'): void {
    this.#controller.abort(reason);
  }

  /**
   * Cancels one sub-agent of the run, at any depth, and returns its result; the run continues, and the model that called the sub-agent
   * reads `reason`. Returns `undefined` if no active sub-agent has this run id.
   */
  cancelSubAgent(runId: string, reason: string = 'The sub-agent was cancelled'): Promise<AgentResult> | undefined {
    return this.#run?.cancelSubAgent(runId, reason);
  }

  /**
   * Turns a running call into a job so that the model can do other work. Returns `false` if the call is not running, or
   * belongs to a tool of the loop itself, such as `wait_job`.
   */
  promote(callId: string): boolean {
    return this.#run?.calls?.promote(callId) ?? false;
  }

  /**
   * Stops one job of the run, or of an active sub-agent, and notifies its model. Returns `false` if the job has finished or is unknown, or if the run is about
   * to pause or to leave this process, which `isLeaving` says.
   */
  stopJob(jobId: string, reason = 'The job was stopped'): boolean {
    return this.#runsWithJobs().some(({ jobs }) => jobs.stop(jobId, reason, { isRead: false }));
  }

  /** True once the run pauses for approvals or leaves this process, until `result` resolves. */
  get isLeaving(): boolean {
    return this.#run?.isSuspended === true;
  }

  /** Resolves when the last changes of all its jobs are stored, if it has a job store. */
  async jobsStored(): Promise<void> {
    await Promise.all(this.#runsWithJobs().map(({ jobs }) => jobs.flush()));
  }

  /** Calls `observer` with each event when it happens, also with those that no reader has read yet. It must not throw. */
  observe(observer: AgentEventSink): void {
    for (const event of this.#events) observer(event);
    this.#observers.push(observer);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, undefined> {
    this.#readers++;
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event !== undefined) yield event;
        else if (this.#isOver) return;
        else await (this.#news ??= Promise.withResolvers<void>()).promise;
      }
    } finally {
      this.#readers--;
      if (!this.#isOver && this.#readers === 0) this.cancel('The reader of the events stopped');
    }
  }

  #runsWithJobs(): readonly Pick<StreamedRun, 'jobs'>[] {
    return this.#run?.activeRuns().filter(({ hasJobs }) => hasJobs) ?? [];
  }

  // A tool that ignores its signal may report progress after the end of the run.
  #push(event: AgentEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    for (const observer of this.#observers) observer(event);
    if (event.type === 'run-end' || event.type === 'run-paused') this.#isOver = true;
    this.#wake();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }

  #wake(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }
}
