import { isKernelError, KernelError } from '@ravi/kernel';

/**
 * The cancellation of a session, or of a call within it: one listener on the signal however many calls wait for it.
 * Listeners on a shared `AbortSignal` cost time linear to their number at every removal, which a thousand parallel
 * calls would feel, and a signal of one's own costs more than a call.
 */
export class Cancellation {
  readonly #signal: AbortSignal | undefined;
  readonly #parent: Cancellation | undefined;
  readonly #listener: (() => void) | undefined;
  readonly #leaveParent: (() => void) | undefined;
  #callbacks: Set<() => void> | undefined;
  #message: string | undefined;
  #error: KernelError | undefined;

  /** What aborts `signal` or cancels `parent` cancels this too. */
  constructor(signal?: AbortSignal, parent?: Cancellation) {
    this.#signal = signal;
    this.#parent = parent;
    if (signal === undefined && parent === undefined) return;
    this.#listener = () => this.#fire();
    if (signal?.aborted === false) signal.addEventListener('abort', this.#listener, { once: true });
    this.#leaveParent = parent?.onCancel(this.#listener);
  }

  get isCancelled(): boolean {
    return this.#message !== undefined || this.#signal?.aborted === true || this.#parent?.isCancelled === true;
  }

  /** The one error that `invoke` throws. */
  get error(): KernelError {
    if (this.#message !== undefined) return (this.#error ??= new KernelError('E_CANCELLED', this.#message));
    if (this.#signal?.aborted !== true && this.#parent !== undefined) return this.#parent.error;
    const reason: unknown = this.#signal?.reason;
    if (isKernelError(reason, 'E_CANCELLED')) return reason;
    return new KernelError('E_CANCELLED', 'The run was cancelled', { cause: reason });
  }

  /** Cancels it. Idempotent; the first reason stays. */
  cancel(message: string): void {
    if (this.isCancelled) return;
    this.#message = message;
    this.#fire();
  }

  /** @throws KernelError `E_CANCELLED` */
  check(): void {
    if (this.isCancelled) throw this.error;
  }

  /**
   * Calls `callback` once on cancellation, unless the returned function is called first. Never when it is cancelled
   * already: {@link Cancellation.check} first.
   */
  onCancel(callback: () => void): () => void {
    this.#callbacks ??= new Set();
    this.#callbacks.add(callback);
    return () => this.#callbacks?.delete(callback);
  }

  /** Stops listening to the signal and to the parent, which may live on. */
  dispose(): void {
    if (this.#listener !== undefined) this.#signal?.removeEventListener('abort', this.#listener);
    this.#leaveParent?.();
  }

  #fire(): void {
    // A callback may take others out; those are not called any more.
    for (const callback of this.#callbacks ?? []) {
      this.#callbacks?.delete(callback);
      callback();
    }
  }
}
