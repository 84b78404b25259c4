import type { InvokerSession } from '@ravi/invoker';
import { textBlock } from '@ravi/kernel';
import type { ContentBlock, InvocationResult, Job, JobStatus, JsonValue, Principal, ToolUseBlock } from '@ravi/kernel';
import { randomId } from '@ravi/support';
import type { AgentEventSink } from '../agent/agent-event.ts';
import type { AnnouncedJob } from '../agent/announced-jobs.ts';
import { mediaOf } from '../conversation/model-result.ts';
import { createJobRecord } from './job-record.ts';
import type { JobRecord, JobRecorder } from './job-record.ts';

/** A call that continues in the background while the run works on. */
export interface RunningJob extends AnnouncedJob {
  readonly status: JobStatus;
  /** Present once it is final. */
  readonly result?: InvocationResult;
}

interface Entry extends RunningJob {
  status: JobStatus;
  result?: InvocationResult;
  /** True once the model has received the result. */
  isRead: boolean;
  readonly cancel: () => void;
  readonly record: JobRecord | undefined;
  readonly done: PromiseWithResolvers<void>;
}

/** Parts of a run that its jobs need. */
export interface JobOwner extends JobRecorder {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly session: InvokerSession;
  readonly emit: AgentEventSink | undefined;
  /** True if another process continues the run, and its jobs with it. */
  readonly isSuspended: boolean;
  /** Open questions to the user, for which the run is about to pause. */
  readonly questions: ReadonlyMap<string, unknown>;
}

/** Jobs of one run. They end with the run at the latest; a run that another process continues keeps them. */
export class Jobs {
  readonly #run: JobOwner;
  readonly #entries: Entry[] = [];
  readonly #records: JobRecord[] = [];
  /** Records of jobs that an earlier process began and the model has not heard of, by the id of their calls. */
  readonly #unannounced = new Map<string, Job>();
  /** Resolved when a job ends, or begins to wait for people. */
  #news: PromiseWithResolvers<void> | undefined;

  constructor(run: JobOwner) {
    this.#run = run;
  }

  /** Turns a running call into a job and returns its id; `cancel` cancels the call. */
  begin(call: ToolUseBlock, cancel: () => void): string {
    const row = this.#takeUnannounced(call.id);
    const id = row?.id ?? randomId('job');
    this.#add(id, call, { row, cancel });
    return id;
  }

  /** Continues a job of an earlier process under its id. `row` is its record, if the store has one. */
  adopt(id: string, call: ToolUseBlock, row: Job | undefined, cancel: () => void): void {
    this.#add(id, call, { row, cancel });
  }

  /** Keeps the record of a job that the model has not heard of for the call, which may become a job again. */
  keepUnannounced(callId: string, row: Job): void {
    this.#unannounced.set(callId, row);
  }

  /** Sets the result of a call that became a job. Returns `false` for any other call. */
  finish(callId: string, result: InvocationResult): boolean {
    // The process that continues the run finds the outcome in the journal, or makes the call again.
    const isLeft = this.#run.isSuspended;
    const entry = this.#entries.find((each) => each.callId === callId);
    if (entry === undefined) {
      if (!isLeft) this.#endUnannounced(callId, result);
      return false;
    }
    if (isLive(entry) && !isLeft) this.#end(entry, finalStatusOf(result), result);
    return true;
  }

  /** True if this call is a job that still runs. */
  isActive(callId: string): boolean {
    return this.#entries.some((entry) => entry.callId === callId && isLive(entry));
  }

  /** Ids of the calls whose jobs run. */
  get liveCalls(): readonly string[] {
    return this.#entries.filter(isLive).map(({ callId }) => callId);
  }

  /** Jobs that the model knows and whose results it has not received. */
  get announced(): readonly AnnouncedJob[] {
    return this.#entries.filter(({ isRead }) => !isRead).map(({ id, callId, tool }) => ({ id, callId, tool }));
  }

  get(id: string): RunningJob | undefined {
    return this.#entry(id);
  }

  /** Resolves when the job is final. */
  done(id: string): Promise<void> {
    return this.#entry(id)?.done.promise ?? Promise.resolve();
  }

  /** Marks a result as read: it is not sent to the model again. */
  markRead(id: string): void {
    const entry = this.#entry(id);
    if (entry !== undefined) entry.isRead = true;
  }

  /**
   * Stops a job. Returns `false` if it has finished or is unknown, and if the run pauses or leaves this process: it keeps its jobs. With `isRead: false` the model is notified. */
  stop(id: string, reason: string, { isRead = true }: { readonly isRead?: boolean } = {}): boolean {
    const entry = this.#entry(id);
    if (entry === undefined || !isLive(entry) || this.#run.isSuspended) return false;
    const error = { code: 'E_CANCELLED', message: reason, retryable: false };
    this.#end(entry, 'cancelled', { status: 'error', text: reason, files: [], error });
    entry.isRead = isRead;
    entry.cancel();
    return true;
  }

  /** Stops all running jobs and returns a note about each for the model. */
  stopAll(reason: string): readonly ContentBlock[] {
    return this.#entries.filter(isLive).map(({ id, tool }) => {
      this.stop(id, reason);
      return textBlock(`The job ${id} of ${tool} was stopped: ${reason}.`);
    });
  }

  /** Returns the results that the model has not received, for the next message, and marks them as read. */
  consumeUnread(): readonly ContentBlock[] {
    if (this.#entries.length === 0) return [];
    const unread = this.#entries.filter(isUnread);
    return unread.flatMap((entry) => {
      entry.isRead = true;
      const { id, tool, callId, status, result } = entry;
      const text = textBlock(`The job ${id} of ${tool} (call ${callId}) is ${status}:\n${result?.text ?? ''}`);
      return [text, ...mediaOf(result)];
    });
  }

  /**
   * Waits until there is an unread result. Returns `false` if no running job can bring one, or if a job asks the user.
   * @throws KernelError `E_CANCELLED` if the run is cancelled in the meantime
   */
  async waitForUnread(): Promise<boolean> {
    while (!this.#entries.some(isUnread)) {
      if (!this.#entries.some(isLive) || this.#run.questions.size > 0) return false;
      await this.#waitForNews();
    }
    return true;
  }

  /**
   * Waits until every running job has waited for people for `quietMs`.
   * @throws KernelError `E_CANCELLED` if the run is cancelled in the meantime
   */
  async waitForQuiet(isWaiting: (callId: string) => boolean, quietMs: number): Promise<void> {
    const { clock } = this.#run.definition.invoker;
    while (this.liveCalls.length > 0) {
      while (this.#entries.some((entry) => isLive(entry) && !isWaiting(entry.callId))) await this.#waitForNews();
      if (this.liveCalls.length === 0) return;
      // A decision may be there already, so any news begins this time again.
      let isQuiet = false;
      const timer = clock.setTimer(() => {
        isQuiet = true;
        this.wake();
      }, quietMs);
      await this.#waitForNews().finally(() => timer.cancel());
      if (isQuiet) return;
    }
  }

  /** Notes that a job has begun to wait for people, or has ended that. */
  wake(): void {
    this.#news?.resolve();
  }

  /** Waits until the last change of every job is stored, so that the model knows nothing that is not on record. */
  async flush(): Promise<void> {
    const pending = (): readonly Promise<unknown>[] => this.#records.map(({ saved }) => saved);
    for (let before: readonly Promise<unknown>[] = []; pending().some((saved, index) => saved !== before[index]);) {
      before = pending();
      await Promise.all(before);
    }
  }

  #add(
    id: string,
    { id: callId, name: tool, arguments: args }: ToolUseBlock,
    { row, cancel }: { readonly row: Job | undefined; readonly cancel: () => void },
  ): void {
    const { principal, sessionId, runId } = this.#run;
    const job = { id, principal, sessionId, runId, callId, kind: tool, input: args };
    const isEnded = row !== undefined && !isLive(row);
    const record = isEnded ? undefined : createJobRecord(this.#run, job, row);
    const done = Promise.withResolvers<void>();
    if (record !== undefined) this.#records.push(record);
    this.#entries.push({ id, callId, tool, status: 'running', isRead: false, cancel, record, done });
  }

  #takeUnannounced(callId: string): Job | undefined {
    const row = this.#unannounced.get(callId);
    this.#unannounced.delete(callId);
    return row;
  }

  #endUnannounced(callId: string, result: InvocationResult): void {
    const row = this.#takeUnannounced(callId);
    if (row === undefined) return;
    const record = createJobRecord(this.#run, row, row);
    if (record === undefined) return;
    this.#records.push(record);
    record.end(finalStatusOf(result), result as unknown as JsonValue, result.error);
  }

  #entry(id: string): Entry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  #end(entry: Entry, status: JobStatus, result: InvocationResult): void {
    entry.status = status;
    entry.result = result;
    entry.record?.end(status, result as unknown as JsonValue, result.error);
    const { id: jobId, callId, tool } = entry;
    this.#run.emit?.({ type: 'job-finished', ...this.#run.session.scope, jobId, callId, tool, result });
    entry.done.resolve();
    this.wake();
  }

  async #waitForNews(): Promise<void> {
    this.#run.check();
    this.#news = Promise.withResolvers<void>();
    const unsubscribe = this.#run.session.cancellation.onCancel(this.#news.resolve);
    await this.#news.promise;
    unsubscribe();
    this.#run.check();
  }
}

/** True while the job has no result. */
export function isLive({ status }: { readonly status: JobStatus }): boolean {
  return status === 'running' || status === 'queued';
}

function isUnread(entry: Entry): boolean {
  return !isLive(entry) && !entry.isRead;
}

function finalStatusOf(result: InvocationResult): JobStatus {
  if (result.status === 'ok') return 'completed';
  return result.error?.code === 'E_CANCELLED' ? 'cancelled' : 'failed';
}
