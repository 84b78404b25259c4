import { KernelError } from '@ravi/kernel';

/**
 * The cancellation of a session or a call: one listener on the signal however many calls wait for it. Listeners on a
 * shared `AbortSignal` cost time linear to their number at every removal, which a thousand parallel calls would feel.
 */
export class Cancellation {
  readonly #callbacks = new Set<() => void>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (!signal.aborted) signal.addEventListener('abort', () => this.#fire(), { once: true });
  }

  get isCancelled(): boolean {
    return this.#signal.aborted;
  }

  /** The one error that `invoke` throws. */
  get error(): KernelError {
    const reason: unknown = this.#signal.reason;
    if (reason instanceof KernelError && reason.code === 'E_CANCELLED') return reason;
    return new KernelError('E_CANCELLED', 'The run was cancelled', { cause: reason });
  }

  /** @throws KernelError `E_CANCELLED` */
  check(): void {
    if (this.isCancelled) throw this.error;
  }

  /** Calls `callback` once on cancellation, unless the returned function is called first. */
  onCancel(callback: () => void): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  #fire(): void {
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of callbacks) callback();
  }
}
