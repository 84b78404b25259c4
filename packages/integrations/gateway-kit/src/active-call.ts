import { KernelError } from '@ravi/kernel';
import type { ApprovalDecisionInput, ApprovalRequest, Clock, InvocationResult } from '@ravi/kernel';
import type { FrameworkRun, GatewayDecision, GatewayOutcome } from './gateway-types.ts';

/** Milliseconds for which further requests of a script are collected, so that parallel calls are shown together. */
const gatherMs = 5;

interface Waiting {
  readonly request: ApprovalRequest;
  readonly resolve: (decision: ApprovalDecisionInput) => void;
}

/** Running call, with the requests for approval that its script waits for. */
export class ActiveCall {
  readonly run: FrameworkRun;
  /** Id in the invoker. */
  readonly id: string;
  readonly digest: string;
  /** Decision on the call itself, with the request that a person saw. Used once. */
  approval: { readonly request: ApprovalRequest; readonly decision: ApprovalDecisionInput } | undefined;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();
  readonly #controller = new AbortController();
  #source: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#source?.reason);
  #isGathering = false;
  #ended: { readonly result: InvocationResult } | { readonly error: unknown } | undefined;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(
    run: FrameworkRun,
    { id, digest, clock }: { readonly id: string; readonly digest: string; readonly clock: Clock },
  ) {
    this.run = run;
    this.id = id;
    this.digest = digest;
    this.#clock = clock;
  }

  /** Aborted when the latest followed signal aborts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Requests that wait for a decision. */
  get requests(): readonly ApprovalRequest[] {
    return Array.from(this.#waiting.values(), ({ request }) => request);
  }

  /** Is cancelled by this signal from now on, and by no earlier one. */
  follow(signal: AbortSignal | undefined): void {
    this.#source?.removeEventListener('abort', this.#abort);
    this.#source = this.#ended === undefined ? signal : undefined;
    if (this.#source?.aborted === true) this.#abort();
    else this.#source?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Waits for the decision on a call inside this one. */
  ask(request: ApprovalRequest, withdrawal: AbortSignal): Promise<ApprovalDecisionInput> {
    const { promise, resolve } = Promise.withResolvers<ApprovalDecisionInput>();
    this.#waiting.set(request.id, { request, resolve });
    withdrawal.addEventListener('abort', () => this.#waiting.delete(request.id) && this.#report(), { once: true });
    if (!this.#isGathering) {
      this.#isGathering = true;
      this.#clock.setTimer(() => {
        this.#isGathering = false;
        this.#report();
      }, gatherMs);
    }
    return promise;
  }

  /** Decides the named request. `false` if it does not wait. */
  decide({ requestId = '', ...decision }: GatewayDecision): boolean {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return false;
    this.#waiting.delete(requestId);
    waiting.resolve(decision);
    return true;
  }

  /** Ends the call with its result or its error. */
  end(ended: { readonly result: InvocationResult } | { readonly error: unknown }): void {
    this.follow(undefined);
    this.#ended = ended;
    this.#report();
  }

  /** Returns the outcome once the call has ended or waits for people. @throws the error of the call */
  async outcome(): Promise<GatewayOutcome> {
    for (;;) {
      if (this.#ended !== undefined) {
        if ('error' in this.#ended) throw this.#ended.error;
        return { status: 'done', result: this.#ended.result, isReplay: false };
      }
      if (this.isWaiting && !this.#isGathering) {
        // The framework may end its own run now, and its signal with it.
        this.follow(undefined);
        return { status: 'needs-approval', requests: this.requests };
      }
      await this.#changed.promise;
    }
  }

  /** Cancels the call. */
  cancel(message: string): void {
    this.#controller.abort(new KernelError('E_CANCELLED', message));
  }

  #report(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
