import { isKernelError, KernelError } from '@ravi/kernel';

/** An object that is notified of a cancellation. */
export interface CancelListener {
  /** Called at most once, when the cancellation happens. */
  handleCancel(): void;
}

/**
 * Cancellation of a session or of one call in it. It puts one listener on the signal, however many calls wait for it:
 * removing a listener from a shared `AbortSignal` takes time linear in their number, which a thousand parallel calls
 * would feel, and a signal for each call costs more than the call.
 */
export class Cancellation implements CancelListener {
  readonly #signal: AbortSignal | undefined;
  readonly #parent: Cancellation | undefined;
  readonly #onAbort: (() => void) | undefined;
  #listeners: Set<CancelListener> | undefined;
  #message: string | undefined;
  #error: KernelError | undefined;

  /** Cancelled when `signal` aborts or `parent` is cancelled. */
  constructor(signal?: AbortSignal, parent?: Cancellation) {
    this.#signal = signal;
    this.#parent = parent;
    this.#parent?.subscribe(this);
    if (signal === undefined) return;
    this.#onAbort = () => this.#fire();
    if (!signal.aborted) signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get isCancelled(): boolean {
    return this.#message !== undefined || this.#signal?.aborted === true || this.#parent?.isCancelled === true;
  }

  /** The error that `invoke` throws. */
  get error(): KernelError {
    if (this.#message !== undefined) return (this.#error ??= new KernelError('E_CANCELLED', this.#message));
    if (this.#signal?.aborted !== true && this.#parent !== undefined) return this.#parent.error;
    const reason: unknown = this.#signal?.reason;
    if (isKernelError(reason, 'E_CANCELLED')) return reason;
    return new KernelError('E_CANCELLED', 'The run was cancelled', { cause: reason });
  }

  /** Cancels it. Idempotent; the first reason stays. */
  cancel(message: string, cause?: KernelError): void {
    if (this.isCancelled) return;
    this.#message = message;
    if (cause !== undefined) this.#error = new KernelError('E_CANCELLED', message, { cause });
    this.#fire();
  }

  /** @throws KernelError `E_CANCELLED` */
  check(): void {
    if (this.isCancelled) throw this.error;
  }

  /** Notifies `listener` of the cancellation. A cancellation that has already happened is not reported: call `check` first. */
  subscribe(listener: CancelListener): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  /** Removes `listener`. */
  unsubscribe(listener: CancelListener): void {
    this.#listeners?.delete(listener);
  }

  /** Like {@link Cancellation.subscribe}, for a function. Returns the function that unsubscribes it. */
  onCancel(callback: () => void): () => void {
    const listener = { handleCancel: callback };
    this.subscribe(listener);
    return () => this.unsubscribe(listener);
  }

  /** Called by the parent. */
  handleCancel(): void {
    this.#fire();
  }

  /** Stops listening to the signal and to the parent, both of which may outlive this. */
  dispose(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#parent?.unsubscribe(this);
  }

  #fire(): void {
    // A listener may unsubscribe others; those are not called any more.
    for (const listener of this.#listeners ?? []) {
      this.unsubscribe(listener);
      listener.handleCancel();
    }
  }
}

/** True if a run or a call was cancelled because its run continues in another process, or later. */
export function isSuspension(reason: unknown): boolean {
  return isKernelError(reason) && (reason.code === 'E_RUN_SUSPENDED' || isSuspension(reason.cause));
}
