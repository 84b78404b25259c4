import { isKernelError, KernelError } from '@ravi/kernel';

/**
 * The cancellation of a session, or of a call within it: one listener on the signal however many calls wait for it.
 * Listeners on a shared `AbortSignal` cost time linear to their number at every removal, which a thousand parallel
 * calls would feel.
 */
export class Cancellation {
  readonly #callbacks = new Set<() => void>();
  readonly #signal: AbortSignal;
  readonly #parent: Cancellation | undefined;
  readonly #listener = (): void => this.#fire();
  readonly #leaveParent: (() => void) | undefined;

  /** What cancels `parent` cancels this too. */
  constructor(signal: AbortSignal, parent?: Cancellation) {
    this.#signal = signal;
    this.#parent = parent;
    if (!signal.aborted) signal.addEventListener('abort', this.#listener, { once: true });
    this.#leaveParent = parent?.onCancel(this.#listener);
  }

  get isCancelled(): boolean {
    return this.#signal.aborted || this.#parent?.isCancelled === true;
  }

  /** The one error that `invoke` throws. */
  get error(): KernelError {
    if (!this.#signal.aborted && this.#parent !== undefined) return this.#parent.error;
    const reason: unknown = this.#signal.reason;
    if (isKernelError(reason, 'E_CANCELLED')) return reason;
    return new KernelError('E_CANCELLED', 'The run was cancelled', { cause: reason });
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
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  /** Stops listening; for the cancellation of one call, whose signal may live on. */
  dispose(): void {
    this.#signal.removeEventListener('abort', this.#listener);
    this.#leaveParent?.();
  }

  #fire(): void {
    // A callback may take others out; those are not called any more.
    for (const callback of this.#callbacks) {
      this.#callbacks.delete(callback);
      callback();
    }
  }
}
