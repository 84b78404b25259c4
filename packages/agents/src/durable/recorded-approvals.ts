import { isKernelError, KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type {
  Approval,
  ApprovalBinding,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalDecisionInput,
  ApprovalStore,
  Clock,
  Logger,
} from '@ravi/kernel';
import { errorText, readApproval, retryWhileUnavailable } from '@ravi/support';
import { createApprovalFeed } from './approval-feed.ts';
import type { ApprovalFeed } from './approval-feed.ts';

/** What approvals on record are made of. */
export interface RecordedApprovalsOptions {
  readonly store: ApprovalStore;
  /** Asks somebody as well; without one the answer comes through the store alone. */
  readonly handler?: ApprovalHandler;
  /** Shared with others that listen; one of its own when absent. */
  readonly feed?: ApprovalFeed;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const boundFields: readonly (keyof ApprovalBinding)[] = ['runId', 'principal', 'tool', 'toolDigest', 'argsDigest'];

/**
 * Approvals that outlive the process: a request is in the store before anybody is asked, the first answer counts,
 * whichever way it came, and it is taken once, right before the call goes on. A question that nobody waits for any more
 * is withdrawn, unless its run is only suspended: then whoever goes on with the run asks under the same id and finds it.
 * A request that was never answered rejects with `E_APPROVAL_TIMEOUT`.
 */
export function createRecordedApprovals(options: RecordedApprovalsOptions): ApprovalHandler {
  const { store, handler, clock = systemClock, logger = silentLogger } = options;
  const feed = options.feed ?? createApprovalFeed({ store, clock, logger });

  return {
    async request(request, { signal }) {
      const known = await retryWhileUnavailable(() => keep(store, request), { clock, signal });
      if (known === 'other') return denied('it was asked before for another call');
      feed.poke();
      const settled = await settledApproval(request.id, signal);
      return retryWhileUnavailable(() => take(request, settled), { clock, signal });
    },
  };

  /** Waits until the request is pending no more; when `signal` aborts it is withdrawn. */
  function settledApproval(id: string, signal: AbortSignal): Promise<Approval> {
    const asking = new AbortController();
    return new Promise<Approval>((resolve, reject) => {
      const finish = (done: () => void): void => {
        unsubscribe();
        signal.removeEventListener('abort', onAbort);
        asking.abort();
        done();
      };
      const look = (): void => {
        retryWhileUnavailable(() => read(id), { clock, signal: asking.signal }).then(
          (approval) => approval && finish(() => resolve(approval)),
          (error: unknown) => finish(() => reject(error)),
        );
      };
      const onAbort = (): void => {
        finish(() => reject(signal.reason));
        if (!isSuspension(signal.reason)) void withdraw(id, signal.reason);
      };
      const unsubscribe = feed.subscribe((change) => change.approvalId === id && look());
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) return onAbort();
      look();
      if (handler === undefined) return;
      ask(id, handler, asking.signal)
        .catch((error: unknown) => (asking.signal.aborted ? undefined : failed(id, error, asking.signal)))
        .then(look, look);
    });
  }

  async function read(id: string): Promise<Approval | undefined> {
    const approval = await store.get(id);
    if (approval?.status !== 'pending') return approval;
    if (approval.request.expiresAt > clock.now()) return undefined;
    const outcome = await store.withdraw(id, { now: clock.now(), reason: 'Nobody answered in time' });
    return 'approval' in outcome ? outcome.approval : undefined;
  }

  async function ask(id: string, asked: ApprovalHandler, signal: AbortSignal): Promise<void> {
    const kept = await retryWhileUnavailable(() => store.get(id), { clock, signal });
    if (kept === undefined || signal.aborted) return;
    const given = await asked.request(kept.request, { signal });
    // Who was told that nobody waits may say no to that; it is no answer to the question.
    if (signal.aborted) return;
    const answer = checked(given);
    await retryWhileUnavailable(() => store.decide(id, { ...answer, decidedAt: clock.now() }), { clock, signal });
    feed.poke();
  }

  async function failed(id: string, error: unknown, signal: AbortSignal): Promise<void> {
    logger.error('approval handler failed', { requestId: id, error: errorText(error) });
    const reason = 'the approval handler failed';
    await retryWhileUnavailable(() => store.decide(id, { decision: 'denied', reason, decidedAt: clock.now() }), {
      clock,
      signal,
    });
  }

  async function withdraw(id: string, why: unknown): Promise<void> {
    try {
      const reason = why instanceof Error ? why.message : 'Nobody waits for the answer any more';
      await store.withdraw(id, { now: clock.now(), reason });
      feed.poke();
    } catch (error) {
      logger.warn('a request for approval could not be withdrawn', { requestId: id, error: errorText(error) });
    }
  }

  async function take(request: ApprovalRequest, settled: Approval): Promise<ApprovalDecisionInput> {
    const consumer = `${request.runId}:${request.callId}`;
    const outcome = await store.consume(request.id, request, { consumer, now: clock.now() });
    if (outcome.status === 'not-found') return denied('its record is gone');
    if (outcome.status === 'mismatch') return denied(`it was given for another ${outcome.field}`);
    // Who took it and died before the call began recognises itself.
    const isOurs = outcome.status === 'done' || outcome.approval.consumer === consumer;
    if (!isOurs) return denied('its answer was used already');
    if (settled.answer === undefined) throw new KernelError('E_APPROVAL_TIMEOUT', 'Nobody answered in time');
    const { decidedAt: _, ...answer } = settled.answer;
    return answer;
  }
}

async function keep(store: ApprovalStore, request: ApprovalRequest): Promise<'new' | 'same' | 'other'> {
  try {
    await store.create(request);
    return 'new';
  } catch (error) {
    if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
  }
  const known = await store.get(request.id);
  return boundFields.every((field) => known?.request[field] === request[field]) ? 'same' : 'other';
}

function isSuspension(reason: unknown): boolean {
  if (!isKernelError(reason)) return false;
  return reason.code === 'E_RUN_SUSPENDED' || isSuspension(reason.cause);
}

// As the gate reads it: what is no decision must not reach the store.
function checked(answer: unknown): ApprovalDecisionInput {
  const read = readApproval(answer, Infinity);
  if (read === undefined) throw new TypeError('The approval handler gave no valid decision');
  const { decision, isForRun, modified, ...about } = read;
  if (modified === undefined) return { ...about, decision, scope: isForRun ? 'run' : 'once' };
  if ('problem' in modified) throw new TypeError(`The approval handler changed the arguments: ${modified.problem}`);
  return { ...about, decision, modifiedArgs: modified.args };
}

function denied(reason: string): ApprovalDecisionInput {
  return { decision: 'denied', reason };
}
