import { KernelError } from '@ravi/kernel';
import type {
  BlobReader,
  Clock,
  Logger,
  ProgressUpdate,
  Scratchpad,
  ToolChannels,
  ToolContext,
  ToolFiles,
  ToolJob,
  ToolJobs,
  ToolRun,
} from '@ravi/kernel';
import { CallRun } from './call-run.ts';
import { elicit } from './approval/elicit.ts';
import { openCompletion } from './completion/open-completion.ts';
import type { RunningCall } from './completion/open-completion.ts';
import { recordBeginning, recordStart } from './gates/journal.ts';
import type { PendingCall } from './pending-call.ts';
import { reserveModel } from './reserve-model.ts';
import { proseBytes } from './result/shape-result.ts';
import type { InvokerRuntime } from './runtime.ts';
import type { Channels } from './scope/channels.ts';
import { sessionBlobs } from './scope/session-artifacts.ts';
import type { InvokerSession } from './scope/session.ts';
import { Cancellation } from './timing/cancellation.ts';

const callEnded = 'The call has ended';

/** Context of one running tool. The signal and the blob reader are created when the tool reads them. */
export class CallContext implements ToolContext {
  readonly #pending: PendingCall;
  readonly #running: RunningCall;
  /** Cancels what the call asks people and other systems. */
  #asking: Cancellation | undefined;
  #run: CallRun | undefined;
  #controller: AbortController | undefined;
  #ended: KernelError | undefined;
  #isOver = false;

  constructor(pending: PendingCall, running: RunningCall) {
    this.#pending = pending;
    this.#running = running;
  }

  /** Returns the session of a call; `undefined` for a context that the invoker did not create. */
  static sessionOf(context: ToolContext): InvokerSession | undefined {
    return #pending in context ? context.#pending.session : undefined;
  }

  /** Returns the collaborators of the invoker that runs a call; `undefined` for a context that no invoker created. */
  static runtimeOf(context: ToolContext): InvokerRuntime | undefined {
    return #pending in context ? context.#pending.runtime : undefined;
  }

  get runId(): string {
    return this.#pending.session.reportedRunId;
  }

  get sessionId(): string {
    return this.#pending.session.sessionId;
  }

  get principal(): string {
    return this.#pending.session.principal;
  }

  get callId(): string {
    return this.#pending.callId;
  }

  get idempotencyKey(): string {
    return this.#pending.idempotencyKey;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended !== undefined) this.#controller.abort(this.#ended);
    return this.#controller.signal;
  }

  get cwd(): string | undefined {
    return this.#pending.session.cwd;
  }

  get agent(): string | undefined {
    return this.#pending.session.agent;
  }

  get maxTextBytes(): number {
    return proseBytes(this.#pending.session.policy);
  }

  get files(): ToolFiles {
    const { session, runtime } = this.#pending;
    return {
      list: () => session.files,
      read: async (path) => {
        const file = session.files.find((each) => each.path === path);
        if (file === undefined) throw new KernelError('E_BLOB_NOT_FOUND', `The run has no file ${path}`);
        return sessionBlobs(session, runtime.artifactStore).resolve(file.artifactRef);
      },
    };
  }

  get channels(): ToolChannels {
    return this.#channelsOf(this.#pending.session.channels('own'));
  }

  get sharedChannels(): ToolChannels {
    return this.#channelsOf(this.#pending.session.channels('shared'));
  }

  get jobs(): ToolJobs | undefined {
    const jobs = this.#pending.session.services?.jobs;
    if (jobs === undefined) return undefined;
    const wait = async (id: string, cancellation: Cancellation): Promise<ToolJob> => {
      if (jobs.get(id) === undefined) throw new KernelError('E_ARGUMENTS_INVALID', `There is no job ${id}`);
      const cancelled = Promise.withResolvers<never>();
      const unsubscribe = cancellation.onCancel(() => cancelled.reject(cancellation.error));
      await Promise.race([jobs.done(id), cancelled.promise]).finally(unsubscribe);
      return jobs.get(id) as ToolJob;
    };
    return {
      get: (id) => jobs.get(id),
      stop: (id, reason) => jobs.stop(id, reason),
      wait: (id) => this.#whileRunning(undefined, (cancellation) => wait(id, cancellation)),
    };
  }

  get run(): ToolRun {
    return (this.#run ??= new CallRun({
      pending: this.#pending,
      context: this,
      pauseLimit: () => this.#running.pause(),
    }));
  }

  get log(): Logger {
    return this.#pending.runtime.logger;
  }

  get scratchpad(): Scratchpad {
    return this.#pending.session.scratchpad;
  }

  get blobs(): BlobReader {
    return sessionBlobs(this.#pending.session, this.#pending.runtime.artifactStore);
  }

  get clock(): Clock {
    return this.#pending.runtime.clock;
  }

  get storeArtifact(): ToolContext['storeArtifact'] {
    const { session, scope, name: tool } = this.#pending;
    return (data, mediaType, { name } = {}) =>
      session.storeArtifact(data, mediaType, { ...scope, tool, ...(name === undefined ? {} : { name }) }, this.signal);
  }

  // Independent functions, so that a tool can destructure them from the context.
  get progress(): (update: ProgressUpdate) => void {
    return (update) => {
      if (this.#ended !== undefined) return;
      const { scope, name: tool } = this.#pending;
      this.#pending.report({ type: 'tool-progress', ...scope, tool, update });
    };
  }

  get reportsProgress(): boolean {
    return this.#pending.session.reportsProgress;
  }

  get reserveModel(): ToolContext['reserveModel'] {
    return async (use) => {
      this.check();
      return reserveModel(this.#pending, use);
    };
  }

  get elicit(): ToolContext['elicit'] {
    return async (request, { signal } = {}) => {
      this.check();
      if (this.#isOver) throw new KernelError('E_CANCELLED', callEnded);
      this.#asking ??= new Cancellation(undefined, this.#pending.cancellation);
      const asking = new Cancellation(signal, this.#asking);
      const resume = this.#running.pause();
      try {
        return await elicit(this.#pending, request, asking);
      } finally {
        resume();
        asking.dispose();
      }
    };
  }

  get completion(): ToolContext['completion'] {
    return async (options = {}) => {
      this.check();
      if (this.#isOver) throw new KernelError('E_CANCELLED', callEnded);
      this.#asking ??= new Cancellation(undefined, this.#pending.cancellation);
      const pending = this.#pending;
      return openCompletion(pending, options, {
        cancellation: this.#asking,
        running: this.#running,
        // The tool does not run again to set its values.
        recordStart: async () => {
          await pending.session.storedScratchpad?.save();
          await recordStart(pending);
        },
      });
    };
  }

  get check(): () => void {
    return () => {
      if (this.#ended !== undefined) throw new KernelError('E_CANCELLED', this.#ended.message, { cause: this.#ended });
    };
  }

  get begin(): () => Promise<void> {
    return async () => {
      this.check();
      await recordBeginning(this.#pending);
      this.check();
      this.#pending.hasBegun = true;
    };
  }

  #channelsOf(channels: Channels): ToolChannels {
    return {
      send: (channel, message) => {
        this.check();
        channels.send(channel, message);
      },
      receive: (channel, { signal } = {}) =>
        this.#whileRunning(signal, (cancellation) => channels.receive(channel, cancellation)),
    };
  }

  // Waits as long as the call runs.
  async #whileRunning<Value>(
    signal: AbortSignal | undefined,
    wait: (cancellation: Cancellation) => Promise<Value>,
  ): Promise<Value> {
    this.check();
    const outer = new Cancellation(this.signal);
    const cancellation = new Cancellation(signal, outer);
    try {
      return await wait(cancellation);
    } finally {
      cancellation.dispose();
      outer.dispose();
    }
  }

  /** Begins another attempt of the call. */
  restart(): void {
    this.#run?.restart();
  }

  /** Tells the tool that its result is no longer needed. */
  end(reason: KernelError): void {
    this.#ended = reason;
    this.#controller?.abort(reason);
  }

  /** Withdraws what the call still asks people and other systems: it has ended. */
  withdraw(): void {
    this.#isOver = true;
    const asking = this.#asking;
    if (asking === undefined) return;
    // If the run is cancelled, its listeners are being notified, and this one may not be among them any more.
    if (asking.isCancelled) asking.handleCancel();
    else asking.cancel(callEnded);
    asking.dispose();
  }
}

/**
 * Returns the session that a running call belongs to. Pass it as `parent` when you open a session for further calls of
 * this one, so that its restrictions apply to them too. `undefined` for a context that no invoker created.
 */
export function sessionOf(context: ToolContext): InvokerSession | undefined {
  return CallContext.sessionOf(context);
}
