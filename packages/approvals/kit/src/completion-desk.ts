import { isDecidable } from '@ravi/kernel';
import type {
  Approval,
  ApprovalFeed,
  ApprovalRequest,
  ApprovalStore,
  Clock,
  JsonObject,
  JsonValue,
} from '@ravi/kernel';
import { readCompletionToken, withoutCompletionTokens } from '@ravi/support';

/** End of a call that another system sends: a result, or an error. */
export type CompletionOutcome =
  | { readonly result: JsonValue }
  | { readonly error: { readonly message: string; readonly code?: string } };

/**
 * Effect of a delivery. `delivered`: the call ends with it. `ended`: another one came first. `invalid`: it does not match the tool, and the
 * call still waits. `unknown`: no call waits with this token; it says nothing about the reason.
 */
export type DeliveryResult =
  | { readonly status: 'delivered' | 'ended' | 'unknown' }
  | { readonly status: 'invalid'; readonly problem: string };

/** State of a token: a call waits for its result, has its result, or the token is unknown, has expired or was withdrawn. */
export type TokenStatus = 'waiting' | 'ended' | 'unknown';

/** Services of {@link createCompletionDesk}. */
export interface CompletionServices {
  /** Store of the handler `createStoredApprovals`. */
  readonly store: ApprovalStore;
  readonly clock: Clock;
  /** Wakes the calls that wait in this process. */
  readonly feed?: Pick<ApprovalFeed, 'checkNow'>;
  /** Returns the problem of a result: `invoker.checkResult`. */
  readonly checkResult?: (request: ApprovalRequest, result: JsonValue) => string | undefined;
}

/** Takes results of calls from other systems. */
export interface CompletionDesk {
  /**
   * Returns what a delivery with this token could do now, so that a server can refuse one before it reads its body.
   * @throws KernelError `E_STATE_UNAVAILABLE`
   */
  check(token: string): Promise<TokenStatus>;
  /**
   * Ends the call that waits with this token, once. The token is all that this needs. Tokens inside the outcome are removed.
   * @throws KernelError `E_STATE_UNAVAILABLE`
   */
  deliver(token: string, outcome: CompletionOutcome): Promise<DeliveryResult>;
}

const removed = '[redacted]';

/** Creates a desk over the store of the approvals. */
export function createCompletionDesk({ store, clock, feed, checkResult }: CompletionServices): CompletionDesk {
  // Reads and compares for every token, so that the time does not say more than the answer. Digests of unguessable tokens are compared:
  // the length of a common beginning says nothing about a token.
  async function find(token: string): Promise<Approval | undefined> {
    const { id, digest } = await readCompletionToken(token);
    const approval = await store.get(id);
    const expected = approval?.request.completion?.digest ?? '0'.repeat(digest.length);
    return digest === expected ? approval : undefined;
  }

  function statusOf(approval: Approval, now: number): TokenStatus {
    if (approval.status === 'withdrawn') return 'unknown';
    if (approval.answer !== undefined) return 'ended';
    return isDecidable(approval, now) ? 'waiting' : 'unknown';
  }

  return {
    async check(token) {
      const approval = await find(token);
      return approval === undefined ? 'unknown' : statusOf(approval, clock.now());
    },
    async deliver(token, outcome) {
      const content = JSON.parse(withoutCompletionTokens(JSON.stringify(outcome), removed)) as JsonObject;
      const approval = await find(token);
      if (approval === undefined) return { status: 'unknown' };
      const now = clock.now();
      const status = statusOf(approval, now);
      if (status !== 'waiting') return { status };
      const { result } = content;
      const problem = result === undefined ? undefined : checkResult?.(approval.request, result);
      if (problem !== undefined) return { status: 'invalid', problem };
      const decision = { decision: 'approved', content, decidedAt: now } as const;
      const transition = await store.decide(approval.request.id, decision);
      feed?.checkNow();
      if (transition.status === 'not-found' || transition.approval.status === 'withdrawn') return { status: 'unknown' };
      if (transition.status === 'done') return { status: 'delivered' };
      return { status: transition.approval.answer === undefined ? 'unknown' : 'ended' };
    },
  };
}
