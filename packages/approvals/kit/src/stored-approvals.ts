import { differingField, isKernelError, isUndecided, KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type {
  Approval,
  ApprovalDecisionInput,
  ApprovalFeed,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalRequestOptions,
  ApprovalStore,
  Clock,
  Logger,
  RunWriter,
} from '@ravi/kernel';
import { errorText, readApproval, retryWhileUnavailable } from '@ravi/support';
import { createApprovalFeed } from './approval-feed.ts';
import { isOwnRequest } from './approver.ts';

/** Options of {@link createStoredApprovals}. */
export interface StoredApprovalsOptions {
  readonly store: ApprovalStore;
  /** Is asked as well; without it every decision comes through the store. */
  readonly handler?: ApprovalHandler;
  /** True if the approver of a call may not be its own principal: such a decision denies the call. Default false. */
  readonly fourEyes?: boolean;
  /** Feed to share with other listeners; by default a new one. */
  readonly feed?: ApprovalFeed;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

type By = Pick<ApprovalRequestOptions, 'writer'>;

// The invoker stops waiting at `expiresAt`. This bounds the wait of callers that do not, and how early its timer may be.
const graceMs = 1_000;
const handlerFailed = 'the approval handler failed';

/**
 * Creates a handler whose requests outlive the process. A request is stored before an approver is asked; the first
 * decision counts, whether it comes from `handler` or through the store; it is consumed once, right before the call
 * continues. The consumer is `<runId>:<callId>`, so a run that crashed after consuming recognises its own decision.
 *
 * When the signal aborts, the request is withdrawn, unless the run is only suspended: the resumed run finds its request
 * under the same id. A request that was withdrawn is denied. A request that expires rejects with `E_APPROVAL_EXPIRED`; one whose
 * policy is `park` is waited for until it is decided.
 * While the store is unavailable, every step is retried.
 */
export function createStoredApprovals(options: StoredApprovalsOptions): ApprovalHandler {
  const { store, handler, fourEyes = false, clock = systemClock, logger = silentLogger } = options;
  const feed = options.feed ?? createApprovalFeed({ store, clock, logger });

  return {
    takesCompletions: true,
    async request(request, { signal, checkArguments, writer, onStored, onDecided }) {
      const stored = await retryWhileUnavailable(() => storeRequest(store, request, writer), { clock, signal });
      if (stored === 'other') return denied('its approval id is already used by another call');
      // A run must not pause for the request: no decision will wake it.
      if (stored === 'decided') onDecided?.();
      onStored?.();
      feed.checkNow();
      const checked = checkArguments === undefined ? {} : { checkArguments };
      const by = writer === undefined ? {} : { writer };
      const settled = await settledApproval(request, { signal, ...checked, ...by });
      onDecided?.();
      return retryWhileUnavailable(() => consume(request, settled, by), { clock, signal });
    },
  };

  /** Waits until the request is no longer undecided; withdraws it when `signal` aborts. */
  async function settledApproval(
    request: ApprovalRequest,
    { signal, writer, ...checked }: ApprovalRequestOptions,
  ): Promise<Approval> {
    const { id, expiresAt } = request;
    const { promise, resolve, reject } = Promise.withResolvers<Approval>();
    const waiting = new AbortController();
    const check = (): void => {
      retryWhileUnavailable(() => readSettled(id), { clock, signal: waiting.signal }).then(
        (approval) => approval && resolve(approval),
        reject,
      );
    };
    const onAbort = (): void => {
      reject(signal.reason);
      // With the reason, because a handler that stores requests too must not withdraw one of a suspended run.
      waiting.abort(signal.reason);
      if (!isLeftOpen(signal.reason)) void settleEnded(request, signal.reason, writer === undefined ? {} : { writer });
    };
    const subscription = feed.subscribe((change) => change.approvalId === id && check());
    const timer = clock.setTimer(check, Math.max(0, expiresAt + graceMs - clock.now()));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      else void subscription.ready.then(check);
      if (handler !== undefined && !signal.aborted && request.completion === undefined)
        void askHandler(handler, id, { ...checked, signal: waiting.signal }).then(check, check);
      return await promise;
    } finally {
      timer.cancel();
      subscription.unsubscribe();
      signal.removeEventListener('abort', onAbort);
      waiting.abort(new KernelError('E_APPROVAL_DECIDED', 'The request is settled'));
    }
  }

  async function readSettled(id: string): Promise<Approval | undefined> {
    const approval = await store.get(id);
    if (approval === undefined || !isUndecided(approval)) return approval;
    if (approval.status === 'parked' || approval.request.expiresAt > clock.now()) return undefined;
    await store.expire(clock.now());
    const settled = await store.get(id);
    return settled !== undefined && isUndecided(settled) ? undefined : settled;
  }

  async function askHandler(asked: ApprovalHandler, id: string, how: ApprovalRequestOptions): Promise<void> {
    const { signal } = how;
    let asksForInput = false;
    try {
      const kept = await retryWhileUnavailable(() => store.get(id), { clock, signal });
      if (kept === undefined || signal.aborted) return;
      asksForInput = kept.request.elicitation !== undefined;
      const given = await asked.request(kept.request, how);
      // A handler may answer "denied" because it was aborted. That is not a decision.
      if (!signal.aborted) await decide(id, checkedDecision(given), signal);
    } catch (error) {
      // Rules and programs without a terminal leave a request for input to people elsewhere.
      const isLeft = asksForInput && isKernelError(error, 'E_UNSUPPORTED');
      if (signal.aborted || isLeft) return;
      logger.error('approval handler failed', { requestId: id, error: errorText(error) });
      await decide(id, { decision: 'denied', reason: handlerFailed }, signal);
    }
  }

  async function decide(id: string, decision: ApprovalDecisionInput, signal: AbortSignal): Promise<void> {
    const recorded = { ...decision, decidedAt: clock.now() };
    await retryWhileUnavailable(() => store.decide(id, recorded), { clock, signal });
    feed.checkNow();
  }

  /** Settles the request of a call that has ended, so that it cannot be decided any more. */
  async function settleEnded(request: ApprovalRequest, cause: unknown, by: By): Promise<void> {
    const { id } = request;
    try {
      const reason = cause instanceof Error ? cause.message : 'The caller no longer waits for a decision';
      if (isKernelError(cause, 'E_APPROVAL_EXPIRED')) await expire(request);
      const now = clock.now();
      const isCovered = isKernelError(cause, 'E_APPROVAL_DECIDED');
      // An approval for the run covered the call while the request was being stored, and the call continues.
      if (isCovered) await store.decide(id, { decision: 'approved', reason, decidedAt: now });
      const { status } = (await store.get(id)) ?? {};
      if (isCovered || status === 'expired') {
        await store.consume(id, request, { consumer: consumerOf(request), now, ...by });
      } else await store.withdraw(id, { now, reason, ...by });
      feed.checkNow();
    } catch (error) {
      // The run has ended, and its requests with it, or another process has it.
      if (isKernelError(error, 'E_STATE_CONFLICT')) return;
      logger.warn('a request for approval could not be withdrawn', { requestId: id, error: errorText(error) });
    }
  }

  // Not at a later time than that of the clock, which may have been set back: others would expire with it.
  async function expire({ id, expiresAt }: ApprovalRequest): Promise<void> {
    const earlyMs = expiresAt - clock.now();
    const approval = earlyMs > 0 && earlyMs <= graceMs ? await store.get(id) : undefined;
    // A timer may be a little early.
    if (approval !== undefined && isUndecided(approval))
      await new Promise<void>((done) => clock.setTimer(done, earlyMs));
    await store.expire(clock.now());
  }

  async function consume(request: ApprovalRequest, settled: Approval, by: By): Promise<ApprovalDecisionInput> {
    const consumer = consumerOf(request);
    const outcome = await store.consume(request.id, request, { consumer, now: clock.now(), ...by });
    if (outcome.status === 'not-found') return denied('its approval no longer exists');
    if (outcome.status === 'mismatch') return denied(`the approval was given for another ${outcome.field}`);
    // A process that consumed the decision and crashed before the call started recognises its own consumer.
    const isOurs = outcome.status === 'done' || outcome.approval.consumer === consumer;
    if (!isOurs && outcome.approval.status === 'withdrawn') return denied('the request for approval was withdrawn');
    if (!isOurs) return denied('another call has already used its approval');
    feed.checkNow();
    if (settled.answer === undefined) throw new KernelError('E_APPROVAL_EXPIRED', 'No decision was made in time');
    const { decidedAt: _, ...decision } = settled.answer;
    const needsFourEyes = fourEyes && request.elicitation === undefined;
    if (isOwnRequest(decision.approver, request.principal, { fourEyes: needsFourEyes }))
      return denied('its approver requested it');
    return decision;
  }
}

/**
 * Stores a request under its id. Returns `undecided` or `decided` if the id is already taken by a request for the same call, as
 * after a restart, and `other` if it is taken by a request for another call.
 */
async function storeRequest(
  store: ApprovalStore,
  request: ApprovalRequest,
  writer: RunWriter | undefined,
): Promise<'new' | 'undecided' | 'decided' | 'other'> {
  try {
    await store.create(request, writer);
    return 'new';
  } catch (error) {
    const known = isKernelError(error, 'E_STATE_CONFLICT') ? await store.get(request.id) : undefined;
    // Unknown after a conflict: another process has the run.
    if (known === undefined) throw error;
    if (differingField(known.request, request) !== undefined) return 'other';
    return isUndecided(known) ? 'undecided' : 'decided';
  }
}

function consumerOf({ runId, callId }: ApprovalRequest): string {
  return `${runId}:${callId}`;
}

// Another process continues a suspended run.
function isLeftOpen(reason: unknown): boolean {
  if (!isKernelError(reason)) return false;
  return reason.code === 'E_RUN_SUSPENDED' || isLeftOpen(reason.cause);
}

// Read like the approval gate reads it: an invalid decision must not reach the store.
function checkedDecision(given: unknown): ApprovalDecisionInput {
  const read = readApproval(given, Infinity);
  if (read === undefined) throw new TypeError('The approval handler returned an invalid decision');
  const { decision, isForRun, modified, content, ...about } = read;
  if (content !== undefined && 'problem' in content) {
    throw new TypeError(`The approval handler gave an answer that is not valid: ${content.problem}`);
  }
  const answer = content === undefined ? {} : { content: content.args };
  if (modified === undefined) return { ...about, decision, ...answer, scope: isForRun ? 'run' : 'once' };
  if ('problem' in modified) throw new TypeError(`The approval handler changed the arguments: ${modified.problem}`);
  return { ...about, decision, modifiedArgs: modified.args };
}

function denied(reason: string): ApprovalDecisionInput {
  return { decision: 'denied', reason };
}
