import { isKernelError, KernelError } from '@ravi/kernel';

/** Somebody who is told of a cancellation. */
export interface CancelListener {
  /** Called once, at the cancellation. */
  onCancel(): void;
}

/**
 * The cancellation of a session, or of a call within it: one listener on the signal however many calls wait for it.
 * Listeners on a shared `AbortSignal` cost time linear to their number at every removal, which a thousand parallel
 * calls would feel, and a signal of one's own costs more than a call.
 */
export class Cancellation implements CancelListener {
  readonly #signal: AbortSignal | undefined;
  readonly #parent: Cancellation | undefined;
  readonly #onAbort: (() => void) | undefined;
  #listeners: Set<CancelListener> | undefined;
  #message: string | undefined;
  #error: KernelError | undefined;

  /** What aborts `signal` or cancels `parent` cancels this too. */
  constructor(signal?: AbortSignal, parent?: Cancellation) {
    this.#signal = signal;
    this.#parent = parent;
    this.#parent?.tell(this);
    if (signal === undefined) return;
    this.#onAbort = () => this.#fire();
    if (!signal.aborted) signal.addEventListener('abort', this.#onAbort, { once: true });
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

  /** Tells `listener`, unless it is forgotten first. Never when it is cancelled already: {@link Cancellation.check} first. */
  tell(listener: CancelListener): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  /** Does not tell it any more. */
  forget(listener: CancelListener): void {
    this.#listeners?.delete(listener);
  }

  /** As {@link Cancellation.tell} for a function; the returned one makes it forgotten. */
  whenCancelled(callback: () => void): () => void {
    const listener = { onCancel: callback };
    this.tell(listener);
    return () => this.forget(listener);
  }

  /** Told by its parent. */
  onCancel(): void {
    this.#fire();
  }

  /** Stops listening to the signal and to the parent, which may live on. */
  dispose(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#parent?.forget(this);
  }

  #fire(): void {
    // A listener may take others out; those are not told any more.
    for (const listener of this.#listeners ?? []) {
      this.forget(listener);
      listener.onCancel();
    }
  }
}
