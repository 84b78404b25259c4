import type { AgentEvent, AgentEventSink } from './agent-event.ts';
import type { AgentResult } from './agent-result.ts';
import type { AgentRun } from './agent-run.ts';

/** What a run is given so that a stream can follow it. */
export interface StreamParts {
  readonly signal: AbortSignal;
  readonly emit: AgentEventSink;
  readonly onStart: (run: AgentRun) => void;
}

/**
 * A run that tells what happens. Events wait until they are read, and each is read once: several who read at once share
 * them. The last one is `run-end`. The run begins at once and goes on whether or not anybody reads; when the last who
 * reads stops before the end it is cancelled.
 */
export class AgentStream implements AsyncIterable<AgentEvent> {
  /** How the run ended. */
  readonly result: Promise<AgentResult>;
  readonly #controller = new AbortController();
  readonly #events: AgentEvent[] = [];
  #run: AgentRun | undefined;
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

  /** Ends the run. Every open call is answered all the same. */
  cancel(reason = 'The run was cancelled'): void {
    this.#controller.abort(reason);
  }

  /**
   * Lets a running call go on as a job, so that the model can do other work; `false` when it is not running, or of a tool
   * of the loop itself, such as `wait_job`.
   */
  promote(callId: string): boolean {
    return this.#run?.turn?.promote(callId) ?? false;
  }

  /** Ends one job of the run, and the model is told; `false` when it is over or unknown. */
  stopJob(jobId: string, reason = 'The job was stopped'): boolean {
    return this.#run?.jobs.stop(jobId, reason, { isTold: false }) ?? false;
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
      if (!this.#isOver && this.#readers === 0) this.cancel('Nobody reads the events any more');
    }
  }

  // A tool that goes on by itself may still tell of its progress when the run is over.
  #push(event: AgentEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    if (event.type === 'run-end') this.#isOver = true;
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
