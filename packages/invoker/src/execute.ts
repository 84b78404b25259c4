import { isProviderDefinedTool, KernelError } from '@ravi/kernel';
import type { InvocationResult, Timer, Tool, ToolExecutionResult } from '@ravi/kernel';
import { CallContext } from './call-context.ts';
import type { RunningCall } from './completion/open-completion.ts';
import { failCall, finishCall } from './finish-call.ts';
import { beginsLate } from './gates/journal.ts';
import type { PendingCall } from './pending-call.ts';
import type { Execution } from './result/read-tool-result.ts';
import { planRetry } from './retry.ts';
import { confirmLease } from './scope/session-lease.ts';
import { isSuspension } from './timing/cancellation.ts';
import type { CancelListener } from './timing/cancellation.ts';
import { Expiring } from './timing/deadlines.ts';

/**
 * Runs the tool under `callTimeoutMs`, with a signal that the tool can observe, and finishes the call. A result after
 * the time-out or the cancellation is dropped and marked as late.
 * @throws KernelError `E_CANCELLED`
 */
export function execute(pending: PendingCall): Promise<InvocationResult> {
  const { promise, resolve } = Promise.withResolvers<InvocationResult>();
  new Executing(pending, resolve).start();
  return promise;
}

/**
 * A running tool. It ends with the first of four events: the tool returns and is not repeated, its result comes from outside, its time
 * limit passes, or the call is cancelled. One object and one promise instead of an async function, for which V8 keeps more memory while it waits.
 */
class Executing extends Expiring implements CancelListener, RunningCall {
  readonly #pending: PendingCall;
  readonly #context: CallContext;
  readonly #resolve: (result: InvocationResult | Promise<InvocationResult>) => void;
  #isSettled = false;
  /** True if the call ended with a result from outside, so that what the tool returns does not count. */
  #isCompleted = false;
  #pauses = 0;
  #leftMs: number | undefined;
  #backOff: Timer | undefined;

  constructor(pending: PendingCall, resolve: (result: InvocationResult | Promise<InvocationResult>) => void) {
    super();
    this.#pending = pending;
    this.#context = new CallContext(pending, this);
    this.#resolve = resolve;
  }

  start(): void {
    const pending = this.#pending;
    const limitMs = timeLimitOf(pending);
    if (limitMs !== undefined) pending.runtime.deadlines.start(limitMs, this);
    pending.cancellation.subscribe(this);
    pending.hasBegun = !beginsLate(pending);
    pending.onExecute?.();
    this.#attempt();
  }

  #attempt(): void {
    const pending = this.#pending;
    pending.isToolRunning = true;
    pending.attemptStarted = pending.runtime.clock.monotonic();
    startTool(pending, this.#context).then(
      (result) => this.#answer({ kind: 'returned', result }),
      (error: unknown) => this.#answer({ kind: 'threw', error }),
    );
  }

  #answer(execution: Execution): void {
    this.#pending.isToolRunning = false;
    if (this.#isSettled) {
      this.#pending.releaseLocks();
      return this.#isCompleted ? undefined : markLate(this.#pending, execution);
    }
    const delayMs = planRetry(this.#pending, execution, this.#remainingMs);
    if (delayMs !== undefined) return this.#repeatAfter(delayMs, execution);
    this.#settle();
    this.#resolve(finishCall(this.#pending, execution));
  }

  get #remainingMs(): number | undefined {
    return this.lane === undefined ? undefined : this.expiresAt - this.#pending.runtime.clock.monotonic();
  }

  #repeatAfter(delayMs: number, failed: Execution): void {
    this.#backOff = this.#pending.runtime.clock.setTimer(() => void this.#repeat(failed), delayMs);
  }

  // Meanwhile the tool may have been forbidden, and another process may have taken the run.
  async #repeat(failed: Execution): Promise<void> {
    const pending = this.#pending;
    const { session, runtime } = pending;
    try {
      const { lease } = session;
      if (lease !== undefined && !lease.isCertain) await confirmLease(lease, session, runtime.clock);
      if (this.#isSettled) return;
      if (session.allows(pending.name)) {
        this.#context.restart();
        return this.#attempt();
      }
      this.#settle();
      this.#resolve(finishCall(pending, failed));
    } catch (error) {
      if (this.#isSettled) return;
      this.#settle();
      this.#resolve(failCall(pending, error));
    }
  }

  expire(): void {
    const { callTimeoutMs: limitMs } = this.#pending.session.policy;
    this.#settle();
    this.#context.end(new KernelError('E_CALL_TIMEOUT', `The call took longer than ${limitMs} ms`));
    this.#resolve(this.#onceRecorded(() => finishCall(this.#pending, { kind: 'timeout', limitMs })));
  }

  handleCancel(): void {
    const { error } = this.#pending.cancellation;
    this.#settle();
    this.#context.end(error);
    this.#resolve(failCall(this.#pending, error));
  }

  pause(): () => void {
    const { deadlines, clock } = this.#pending.runtime;
    if (this.#pauses++ === 0 && this.lane !== undefined) {
      this.#leftMs = this.expiresAt - clock.monotonic();
      this.cancel();
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#pauses--;
      if (this.#pauses > 0 || this.#isSettled || this.#leftMs === undefined) return;
      // In whole seconds, because each length has a queue of its own.
      deadlines.start(Math.max(1, Math.ceil(this.#leftMs / 1_000)) * 1_000, this);
    };
  }

  complete(result: ToolExecutionResult): void {
    if (this.#isSettled) return;
    this.#isCompleted = true;
    this.#settle();
    this.#resolve(this.#onceRecorded(() => finishCall(this.#pending, { kind: 'returned', result })));
  }

  // The outcome of a call follows its start in the journal.
  #onceRecorded(finish: () => InvocationResult | Promise<InvocationResult>): ReturnType<typeof finish> {
    const { beginning } = this.#pending;
    return beginning === undefined ? finish() : beginning.then(finish);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#backOff?.cancel();
    this.#context.withdraw();
    this.cancel();
    this.#pending.cancellation.unsubscribe(this);
  }
}

function startTool(pending: PendingCall, context: CallContext): Promise<ToolExecutionResult> {
  const { wrapExecution } = pending.runtime;
  try {
    return wrapExecution === undefined
      ? callTool(pending, context)
      : wrapExecution(pending.scope, () => callTool(pending, context));
  } catch (error) {
    return Promise.reject(error);
  }
}

function callTool(
  { tool, args, callId, providerType }: PendingCall,
  context: CallContext,
): Promise<ToolExecutionResult> {
  if (!isProviderDefinedTool(tool)) return Promise.resolve((tool as Tool).execute(args, context));
  const type = providerType ?? tool.callTypes[0] ?? tool.name;
  return Promise.resolve(tool.handleCall({ id: callId, type, payload: args }, context));
}

function timeLimitOf(pending: PendingCall): number | undefined {
  return 'managesOwnTimeout' in pending.tool && pending.tool.managesOwnTimeout === true
    ? undefined
    : pending.session.policy.callTimeoutMs;
}

function markLate(pending: PendingCall, execution: Execution): void {
  if (pending.isLate) return;
  pending.isLate = true;
  // Nothing is lost: the tool, such as one that starts a run, stops here and continues when its call is made again.
  if (execution.kind === 'threw' && isSuspension(execution.error)) return;
  pending.runtime.logger.warn('late result of a tool was dropped', { tool: pending.name, callId: pending.callId });
}
