import { isKernelError } from '@ravi/kernel';
import type {
  Approval,
  ApprovalBinding,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalDecisionInput,
  ApprovalStore,
  Clock,
} from '@ravi/kernel';
import type { ApprovalFeed } from './feed.ts';

/** What asking works with. */
export interface AskOptions {
  readonly store: ApprovalStore;
  readonly feed: ApprovalFeed;
  readonly clock: Clock;
}

// The invoker stops waiting at `expiresAt` and says "time-out"; this only bounds a caller who does not.
const graceMs = 1_000;
const bindingFields: readonly (keyof ApprovalBinding)[] = ['runId', 'principal', 'tool', 'toolDigest', 'argsDigest'];

/**
 * Asks by keeping the request and waiting for its record to change. Who has kept the request before, to wait for it
 * across restarts, also takes the answer and ends the record; what is kept here is ended here.
 */
export function createAsk({ store, feed, clock }: AskOptions): ApprovalHandler['request'] {
  return async (request, { signal }) => {
    if (signal.aborted) return denied('The question was withdrawn before it was asked');
    const isOurs = await keep(store, request);
    feed.nudge();
    const approval = await settled(request, signal);
    if (approval === undefined) {
      const reason = signal.aborted ? 'Nobody waits for the answer any more' : 'Nobody answered in time';
      if (isOurs) await store.withdraw(request.id, { now: clock.now(), reason });
      feed.nudge();
      return denied(reason);
    }
    if (approval.answer === undefined) return denied('The question was withdrawn before it was answered');
    if (isOurs && !(await take(request))) return denied('The answer was used already');
    const { decidedAt: _decidedAt, ...result } = approval.answer;
    return result;
  };

  /** The record once it is pending no more; `undefined` when nobody waits for that any longer. */
  async function settled({ id, expiresAt }: ApprovalRequest, signal: AbortSignal): Promise<Approval | undefined> {
    let { promise: changed, resolve: wake } = Promise.withResolvers<void>();
    using listening = feed.listen((change) => {
      if (change.approvalId === id) wake();
    });
    const deadline = expiresAt + graceMs;
    const timer = clock.setTimer(() => wake(), Math.max(0, deadline - clock.now()));
    const onAbort = (): void => wake();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) wake();
    try {
      await Promise.race([listening.ready, changed]);
      while (!signal.aborted && clock.now() < deadline) {
        ({ promise: changed, resolve: wake } = Promise.withResolvers<void>());
        const approval = await store.get(id);
        const isOverdue = approval?.status === 'expired' && clock.now() >= expiresAt;
        if (approval !== undefined && approval.status !== 'pending' && !isOverdue) return approval;
        await changed;
      }
      return undefined;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async function take(request: ApprovalRequest): Promise<boolean> {
    const consumer = `${request.runId}/${request.callId}`;
    const { status } = await store.consume(request.id, request, { consumer, now: clock.now() });
    feed.nudge();
    return status === 'done';
  }
}

/** Whether the request was kept now; `false` when the very same one is there already. */
async function keep(store: ApprovalStore, request: ApprovalRequest): Promise<boolean> {
  try {
    await store.create(request);
    return true;
  } catch (error) {
    if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
    const kept = await store.get(request.id);
    if (kept === undefined || bindingFields.some((field) => kept.request[field] !== request[field])) throw error;
    return false;
  }
}

function denied(reason: string): ApprovalDecisionInput {
  return { decision: 'denied', reason };
}
