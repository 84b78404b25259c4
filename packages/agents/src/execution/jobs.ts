import { textBlock } from '@ravi/kernel';
import type { ContentBlock, InvocationResult, JobStatus, JsonValue, ToolUseBlock } from '@ravi/kernel';
import { randomId } from '@ravi/support';
import type { AgentRun } from '../loop/agent-run.ts';
import { mediaOf } from '../loop/model-result.ts';
import { createJobRecord } from './job-record.ts';
import type { JobRecord } from './job-record.ts';

/** A call that goes on while the run does. */
export interface RunningJob {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly status: JobStatus;
  /** Present once it is final. */
  readonly result?: InvocationResult;
}

interface Entry extends RunningJob {
  status: JobStatus;
  result?: InvocationResult;
  /** The model has read its result. */
  isTold: boolean;
  readonly cancel: () => void;
  readonly record: JobRecord | undefined;
  readonly done: PromiseWithResolvers<void>;
}

/** The jobs of one run. They end with it at the latest. */
export class Jobs {
  readonly #run: AgentRun;
  readonly #entries: Entry[] = [];
  #news: PromiseWithResolvers<void> | undefined;

  constructor(run: AgentRun) {
    this.#run = run;
  }

  /** Makes a running call a job; `cancel` ends it. */
  begin({ id: callId, name: tool, arguments: args }: ToolUseBlock, cancel: () => void): string {
    const id = randomId('job');
    const { principal, sessionId, runId } = this.#run;
    const record = createJobRecord(this.#run, { id, principal, sessionId, runId, kind: tool, input: args });
    const done = Promise.withResolvers<void>();
    const entry: Entry = { id, callId, tool, status: 'running', isTold: false, cancel, record, done };
    this.#entries.push(entry);
    return id;
  }

  /** Takes the result of a call that became a job; `false` for any other call. */
  finish(callId: string, result: InvocationResult): boolean {
    const entry = this.#entries.find((each) => each.callId === callId);
    if (entry === undefined) return false;
    if (isLive(entry)) this.#end(entry, result.status === 'ok' ? 'completed' : statusOf(result), result);
    return true;
  }

  get(id: string): RunningJob | undefined {
    return this.#entry(id);
  }

  /** Resolves when the job is final. */
  done(id: string): Promise<void> {
    return this.#entry(id)?.done.promise ?? Promise.resolve();
  }

  /** Marks the result as read, so that it does not come again by itself. */
  told(id: string): void {
    const entry = this.#entry(id);
    if (entry !== undefined) entry.isTold = true;
  }

  /** Ends a job; `false` when it is over or unknown. Unless it `isTold`, the model learns of it by itself. */
  stop(id: string, reason: string, { isTold = true }: { readonly isTold?: boolean } = {}): boolean {
    const entry = this.#entry(id);
    if (entry === undefined || !isLive(entry)) return false;
    const error = { code: 'E_CANCELLED', message: reason, retryable: false };
    this.#end(entry, 'cancelled', { status: 'error', text: reason, files: [], error });
    entry.isTold = isTold;
    entry.cancel();
    return true;
  }

  /** Ends all that still run, and says so for the model. */
  stopAll(reason: string): readonly ContentBlock[] {
    return this.#entries.filter(isLive).map(({ id, tool }) => {
      this.stop(id, reason);
      return textBlock(`The job ${id} of ${tool} was stopped: ${reason}.`);
    });
  }

  /** Results that the model has not read, for the next message. */
  takeNews(): readonly ContentBlock[] {
    if (this.#entries.length === 0) return [];
    const news = this.#entries.filter(isNews);
    return news.flatMap((entry) => {
      entry.isTold = true;
      const { id, tool, callId, status, result } = entry;
      const text = textBlock(`The job ${id} of ${tool} (call ${callId}) is ${status}:\n${result?.text ?? ''}`);
      return [text, ...mediaOf(result)];
    });
  }

  /**
   * Waits until there is something that the model has not read; `false` when no job runs that could bring it.
   * @throws KernelError `E_CANCELLED` when the run is cancelled meanwhile
   */
  async waitForNews(): Promise<boolean> {
    while (!this.#entries.some(isNews)) {
      if (!this.#entries.some(isLive)) return false;
      this.#run.check();
      this.#news = Promise.withResolvers<void>();
      const unsubscribe = this.#run.session.cancellation.onCancel(this.#news.resolve);
      await this.#news.promise;
      unsubscribe();
      this.#run.check();
    }
    return true;
  }

  #entry(id: string): Entry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  #end(entry: Entry, status: JobStatus, result: InvocationResult): void {
    entry.status = status;
    entry.result = result;
    entry.record?.end(status, result as unknown as JsonValue, result.error);
    const { id: jobId, callId, tool } = entry;
    this.#run.emit?.({ type: 'job-finished', jobId, callId, tool, result });
    entry.done.resolve();
    this.#news?.resolve();
  }
}

/** Whether it still runs. */
export function isLive({ status }: { readonly status: JobStatus }): boolean {
  return status === 'running' || status === 'queued';
}

function isNews(entry: Entry): boolean {
  return !isLive(entry) && !entry.isTold;
}

function statusOf(result: InvocationResult): JobStatus {
  return result.error?.code === 'E_CANCELLED' ? 'cancelled' : 'failed';
}
