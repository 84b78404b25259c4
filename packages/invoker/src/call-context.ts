import { KernelError } from '@ravi/kernel';
import type { BlobReader, Clock, Logger, ProgressUpdate, Scratchpad, ToolContext } from '@ravi/kernel';
import type { PendingCall } from './pending-call.ts';
import { sessionBlobs } from './scope/session-blobs.ts';
import type { InvokerSession } from './scope/session.ts';

/** What one running tool gets. The signal and the blob reader exist once the tool asks for them. */
export class CallContext implements ToolContext {
  readonly #pending: PendingCall;
  #controller: AbortController | undefined;
  #ended: KernelError | undefined;

  constructor(pending: PendingCall) {
    this.#pending = pending;
  }

  /** The session of a call, for who runs further calls inside of it; `undefined` for a context of other making. */
  static sessionOf(context: ToolContext): InvokerSession | undefined {
    return #pending in context ? context.#pending.session : undefined;
  }

  get runId(): string {
    return this.#pending.session.runId;
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

  // Functions of their own, so that a tool may take them out of the context.
  get progress(): (update: ProgressUpdate) => void {
    return (update) => {
      if (this.#ended !== undefined) return;
      const { callId, name } = this.#pending;
      this.#pending.report({ type: 'tool-progress', callId, tool: name, update });
    };
  }

  get check(): () => void {
    return () => {
      if (this.#ended !== undefined) throw new KernelError('E_CANCELLED', this.#ended.message, { cause: this.#ended });
    };
  }

  /** Tells the tool that nobody waits for it any more. */
  end(reason: KernelError): void {
    this.#ended = reason;
    this.#controller?.abort(reason);
  }
}

/**
 * The session that a running call belongs to, by its context: what opens a session inside of it must pass it on as
 * `parent`, so that its restrictions hold. `undefined` for a context that no invoker made.
 */
export function sessionOf(context: ToolContext): InvokerSession | undefined {
  return CallContext.sessionOf(context);
}
