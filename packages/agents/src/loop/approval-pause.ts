import type { InvokerSession } from '@ravi/invoker';
import { isSuspension } from '@ravi/invoker/internal';
import type { CancelListener } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';
import type { AwaitedApproval, Timer } from '@ravi/kernel';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { ApprovalMode } from '../agent/agent-options.ts';

/** Parts of a run that decide whether it can pause. */
export interface Pausing {
  readonly approvals: ApprovalMode;
  readonly definition: Pick<AgentDefinition, 'invoker'>;
  readonly session: InvokerSession;
  readonly hasJobs: boolean;
  readonly jobs: { readonly liveCalls: readonly string[]; wake(): void };
  readonly hasOpenChildren: boolean;
}

/** Calls that the run waits for at the moment, in addition to those of its jobs. */
export interface AwaitedCalls {
  /** Ids of the calls without a result. */
  readonly open: readonly string[];
}

/** Reports to the run above that its call waits only for these approvals. The returned function ends the wait. */
export type EnterWait = (approvals: readonly AwaitedApproval[]) => () => void;

/** Milliseconds after which a wait for people pauses a run: a decision may be there already. */
export const pauseAfterMs = 250;

/**
 * Pauses a run as soon as everything that it waits for is waiting for people: each call without a result, also that of a job,
 * has reported a wait, and no sub-agent without a call runs. A wait that ends within a quarter of a second does not pause the
 * run. With the mode `wait`, the run pauses when the time of its last request has passed. A sub-agent reports its wait to the run
 * above, and pauses together with it.
 */
export class ApprovalPause implements CancelListener {
  readonly #run: Pausing;
  readonly #enterWaitAbove: EnterWait | undefined;
  #endWaitAbove: (() => void) | undefined;
  readonly #waits = new Map<string, readonly AwaitedApproval[]>();
  /** Calls that wait for the calls of jobs. */
  readonly #followers = new Map<string, string>();
  #calls: AwaitedCalls | undefined;
  #timer: Timer | undefined;
  #isPausing = false;
  #awaited: readonly AwaitedApproval[] = [];

  constructor(run: Pausing, enterWaitAbove?: EnterWait) {
    this.#run = run;
    this.#enterWaitAbove = enterWaitAbove;
    if (enterWaitAbove !== undefined) run.session.cancellation.subscribe(this);
  }

  /** True once the run is suspended for its approvals. */
  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** Requests for approval that were open when the run paused, oldest first. */
  get awaited(): readonly AwaitedApproval[] {
    return this.#awaited;
  }

  /** Begins the wait of one call; the returned function ends it. */
  enter(callId: string, approvals: readonly AwaitedApproval[]): () => void {
    this.#waits.set(callId, approvals);
    this.#lookAtJobs();
    return () => {
      this.#waits.delete(callId);
      this.#lookAtJobs();
    };
  }

  /** True if this call waits for people. */
  isWaiting(callId: string): boolean {
    return this.#waits.has(callId);
  }

  /** Begins the wait of a call for the call of a job; the returned function ends it. */
  follow(callId: string, jobCallId: string): () => void {
    this.#followers.set(callId, jobCallId);
    this.look();
    return () => {
      this.#followers.delete(callId);
      this.look();
    };
  }

  /** Watches the calls of a complete response, or only the jobs; the returned function ends that. */
  watch(calls: AwaitedCalls = jobsOnly): () => void {
    this.#calls = calls;
    this.look();
    return () => {
      this.#calls = undefined;
      this.look();
    };
  }

  /** Checks again whether the run waits only for people. */
  look(): void {
    if (this.#isPausing) return;
    if (this.#enterWaitAbove !== undefined) return this.#report(this.#enterWaitAbove);
    if (!this.#isIdle()) {
      this.#timer?.cancel();
      this.#timer = undefined;
      return;
    }
    this.#timer ??= this.#run.definition.invoker.clock.setTimer(
      () => this.#begin(),
      pauseAfterMs + this.#remainingMs(),
    );
  }

  /** Milliseconds until the time of every request has passed, if the run waits for that. */
  #remainingMs(): number {
    if (this.#run.approvals === 'pause') return 0;
    const ends = [...this.#waits.values()].flat().map(({ expiresAt }) => expiresAt);
    return Math.max(0, ...ends.map((end) => end - this.#run.definition.invoker.clock.now()));
  }

  /** The run above was cancelled, or pauses. The calls still wait: their waits end later. */
  handleCancel(): void {
    if (this.#endWaitAbove === undefined || !isSuspension(this.#run.session.cancellation.error)) return;
    this.#isPausing = true;
    this.#awaited = [...this.#waits.values()].flat();
  }

  // A run that asks its user waits for its jobs itself.
  #lookAtJobs(): void {
    if (this.#run.hasJobs) this.#run.jobs.wake();
    this.look();
  }

  #report(enter: EnterWait): void {
    this.#endWaitAbove?.();
    this.#endWaitAbove = this.#isIdle() ? enter([...this.#waits.values()].flat()) : undefined;
  }

  #begin(): void {
    this.#timer = undefined;
    // A job or a sub-agent may have started in the meantime, or another call may wait.
    if (!this.#isIdle()) return;
    if (this.#remainingMs() > 0) return this.look();
    this.#isPausing = true;
    this.#awaited = [...this.#waits.values()].flat();
    const reason = 'The run is paused until its approvals are decided';
    this.#run.session.cancel(reason, new KernelError('E_RUN_SUSPENDED', reason));
  }

  #isIdle(): boolean {
    const { session, hasJobs, jobs, hasOpenChildren } = this.#run;
    if (this.#calls === undefined || this.#waits.size === 0) return false;
    if (session.cancellation.isCancelled || hasOpenChildren) return false;
    const open = hasJobs ? [...this.#calls.open, ...jobs.liveCalls] : this.#calls.open;
    return open.length > 0 && open.every((callId) => this.#waits.has(this.#followers.get(callId) ?? callId));
  }
}

const jobsOnly: AwaitedCalls = { open: [] };
