import { completionPrefix, isDecidable, isKernelError, isUndecided, KernelError } from '@ravi/kernel';
import type {
  Approval,
  ApprovalFeed,
  ApprovalFilter,
  ApprovalRequest,
  ApprovalStore,
  BlobStat,
  BlobStore,
  Clock,
  EditProblem,
  JsonObject,
  Logger,
  PageRequest,
  RecordedDecision,
} from '@ravi/kernel';
import { elicitationProblems } from '@ravi/support';
import { changeView, viewOf } from './approval-views.ts';
import type { ApprovalView, ChangeView } from './approval-views.ts';
import { checkMayDecide, checkRole, maySee, visibleTo } from './approver.ts';
import type { Approver, DecisionRules } from './approver.ts';
import { displayArguments } from './display/display-arguments.ts';
import { readDecision } from './read-decision.ts';

/** Services that the desk and the event streams share. */
export interface ApprovalServices {
  readonly store: ApprovalStore;
  readonly feed: ApprovalFeed;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A page of approvals, newest first. */
export interface ApprovalList {
  readonly items: readonly ApprovalView[];
  readonly next?: string;
  /** Number of corrupt records that were left out. */
  readonly unreadable: number;
  /** Sequence number after which an event stream continues without a gap. */
  readonly sequence: number;
  /** Time of the server, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** One approval with all its arguments and its audit log. */
export interface ApprovalDetails {
  readonly approval: ApprovalView;
  readonly changes: readonly ChangeView[];
  readonly now: number;
}

/** Artifact that an approver opens. */
export interface OpenedArtifact {
  readonly stat: BlobStat;
  /** The caller reads or cancels it. */
  readonly content: ReadableStream<Uint8Array>;
}

/** Result of a decision: it was recorded, or another decision, the expiry or the end of the call came first and it changed nothing. */
export type DecisionResult =
  | { readonly status: 'decided'; readonly approval: ApprovalView }
  | {
      readonly status: 'refused';
      readonly code: 'E_APPROVAL_DECIDED' | 'E_APPROVAL_EXPIRED' | 'E_APPROVAL_WITHDRAWN';
      readonly message: string;
      readonly approval: ApprovalView;
    }
  /** The changed arguments, or the answer to a form, are not valid. The request stays pending. */
  | {
      readonly status: 'invalid';
      readonly code: 'E_APPROVAL_EDIT_INVALID';
      readonly message: string;
      readonly problems: readonly EditProblem[];
    };

/**
 * Shows approvals to approvers and takes their decisions. It never shows calls that wait for a result from outside. An approval that the approver may not see does not exist for
 * it. Every method throws a KernelError `E_STATE_UNAVAILABLE` (retryable) while the store is unavailable.
 */
export interface ApprovalDesk {
  /** Lists approvals; an invalid cursor throws the store's `E_STATE_INVALID`. */
  list(approver: Approver, filter: Omit<ApprovalFilter, 'principal'>, page: PageRequest): Promise<ApprovalList>;
  /** @throws KernelError `E_APPROVAL_UNKNOWN` */
  read(approver: Approver, id: string): Promise<ApprovalDetails>;
  /**
   * Opens an artifact whose content a call that waits for its decision will run with, and no other.
   * @throws KernelError `E_FORBIDDEN` without the right to decide, `E_APPROVAL_UNKNOWN`, `E_ARTIFACT_UNKNOWN`
   */
  openArtifact(
    approver: Approver,
    target: { readonly id: string; readonly ref: string },
    artifacts: Pick<BlobStore, 'stat' | 'open'>,
  ): Promise<OpenedArtifact>;
  /**
   * Decides once; the first decision counts. `rules` add to those of the desk. For a request for input see `checkMayDecide`.
   * @throws KernelError `E_FORBIDDEN` without the right to decide, `E_APPROVAL_UNKNOWN`, `E_APPROVAL_FOUR_EYES`,
   * `E_REQUEST_INVALID` for the body
   */
  decide(approver: Approver, id: string, body: JsonObject, rules?: DecisionRules): Promise<DecisionResult>;
}

/** Creates a desk over a store. */
export function createApprovalDesk(
  { store, feed, clock, logger }: ApprovalServices,
  ownRules: DecisionRules = {},
): ApprovalDesk {
  return {
    list: (approver, filter, page) =>
      explainOutage(logger, async () => {
        const now = await expireOverdue();
        // Before the list, so that a stream that continues from here misses nothing.
        const sequence = await store.lastSequence();
        const { items, corrupt, next } = await store.list(
          { ...filter, ...visibleTo(approver), isCompletion: false },
          page,
        );
        if (corrupt.length > 0) logger.error('corrupt approvals were left out of a list', { errors: corrupt });
        return {
          items: items.map((approval) => viewOf(approval, { now, isWhole: false })),
          ...(next === undefined ? {} : { next }),
          unreadable: corrupt.length,
          sequence,
          now,
        };
      }),
    read: (approver, id) =>
      explainOutage(logger, async () => {
        const now = await expireOverdue();
        const approval = await find(approver, id);
        const changes = await store.changes({ approvalId: id });
        return { approval: viewOf(approval, { now, isWhole: true }), changes: changes.items.map(changeView), now };
      }),
    openArtifact: (approver, { id, ref }, artifacts) =>
      explainOutage(logger, async () => {
        checkRole(approver);
        const approval = await find(approver, id);
        const isOpen = isDecidable(approval, clock.now());
        const isShown = isOpen && displayArguments(approval.request).artifacts.includes(ref);
        const stat = isShown ? await artifacts.stat(ref) : undefined;
        if (stat === undefined) throw unknownArtifact(ref);
        return { stat, content: await artifacts.open(ref) };
      }),
    decide: (approver, id, body, given = {}) =>
      explainOutage(logger, async () => {
        const approval = await findToDecide(approver, id);
        const rules = { ...ownRules, ...given, fourEyes: ownRules.fourEyes === true || given.fourEyes === true };
        checkMayDecide(approver, approval.request, { decision: body['decision'], rules });
        const now = clock.now();
        const decision = readDecision(body, { approval, approver: approver.principal, now });
        const problems = isUndecided(approval) ? await problemsOf(approval, decision, rules) : [];
        if (problems.length > 0) return invalidEdit(problems, approval.request);
        const transition = await store.decide(id, decision);
        feed.checkNow();
        if (!('approval' in transition)) throw unknownApproval(id);
        const view = viewOf(transition.approval, { now, isWhole: true });
        return transition.status === 'done' ? { status: 'decided', approval: view } : refuse(view);
      }),
  };

  // No person decides a request for a result from outside.
  async function get(id: string): Promise<Approval | undefined> {
    return id.startsWith(completionPrefix) ? undefined : store.get(id);
  }

  async function find(approver: Approver, id: string): Promise<Approval> {
    const approval = await get(id);
    if (approval !== undefined && maySee(approver, approval.request.principal)) return approval;
    throw unknownApproval(id);
  }

  /** Without the role to decide, every request but an own one for input gets the same refusal, whether it exists or not. */
  async function findToDecide(approver: Approver, id: string): Promise<Approval> {
    if (approver.mayDecide) return find(approver, id);
    const approval = await get(id);
    const isOwn = approval !== undefined && approval.request.principal === approver.principal;
    if (isOwn && approval.request.elicitation !== undefined) return approval;
    checkRole(approver);
    throw unknownApproval(id);
  }

  /** Marks overdue requests as expired or parked, so that none is shown as pending. Returns the current time. */
  async function expireOverdue(): Promise<number> {
    const now = clock.now();
    const { items } = await store.expire(now);
    if (items.length > 0) feed.checkNow();
    return now;
  }

  async function refuse(approval: ApprovalView): Promise<DecisionResult> {
    if (approval.status === 'withdrawn') {
      const { items } = await store.changes({ approvalId: approval.id });
      const { reason = 'its call has ended' } = items.findLast(({ to }) => to === 'withdrawn') ?? {};
      const message = `This request was withdrawn and its call will not run (${reason}). Your decision changed nothing`;
      return { status: 'refused', code: 'E_APPROVAL_WITHDRAWN', message, approval };
    }
    if (approval.answer !== undefined) {
      const { approver = 'another approver', decision } = approval.answer;
      const message = `${approver} decided first: this request is ${decision}. Your decision changed nothing`;
      return { status: 'refused', code: 'E_APPROVAL_DECIDED', message, approval };
    }
    await expireOverdue();
    const message = 'This request has expired and its call will not run. Your decision changed nothing';
    return { status: 'refused', code: 'E_APPROVAL_EXPIRED', message, approval };
  }
}

// An edit that is not checked could run anything that the tool was not made for.
async function problemsOf(
  { request }: Approval,
  { decision, modifiedArgs, content }: RecordedDecision,
  { checkArguments }: DecisionRules,
): Promise<readonly EditProblem[]> {
  if (request.elicitation !== undefined) {
    return decision === 'approved' ? elicitationProblems(request.elicitation, content) : [];
  }
  if (modifiedArgs === undefined) return [];
  if (checkArguments !== undefined) return checkArguments(request, modifiedArgs);
  return [{ pointer: '', message: 'This server cannot check changed arguments. Approve or deny the request as it is' }];
}

function invalidEdit(
  problems: readonly EditProblem[],
  { elicitation }: Pick<ApprovalRequest, 'elicitation'>,
): DecisionResult {
  const [first] = problems;
  const place = first === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  const what = elicitation === undefined ? 'The changed arguments are' : 'The answer is';
  const message = `${what} not valid${place}: ${first?.message}. The request still waits`;
  return { status: 'invalid', code: 'E_APPROVAL_EDIT_INVALID', message, problems };
}

function unknownArtifact(ref: string): KernelError {
  return new KernelError('E_ARTIFACT_UNKNOWN', `No pending call of this request runs with an artifact "${ref}"`);
}

// The same error for an id that does not exist and for one of another principal.
function unknownApproval(id: string): KernelError {
  return new KernelError('E_APPROVAL_UNKNOWN', `There is no approval "${id}"`);
}

const retryAfterMs = 1_000;
const outageMessage =
  'The approval store is unavailable. Read the approval before you decide again: the decision may have been recorded';

/**
 * Runs an operation on the store for an approver. If the store is unavailable, logs its error and throws one that may be
 * shown to the approver: `E_STATE_UNAVAILABLE` with `retryAfterMs`.
 */
export async function explainOutage<Value>(logger: Logger, operation: () => Promise<Value>): Promise<Value> {
  try {
    return await operation();
  } catch (cause) {
    if (!isKernelError(cause, 'E_STATE_UNAVAILABLE')) throw cause;
    logger.warn('the approval store is unavailable', { error: cause });
    throw new KernelError('E_STATE_UNAVAILABLE', outageMessage, { cause, retryable: true, retryAfterMs });
  }
}
