import { compareRisk } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalTrace, JsonObject, RiskAssessment, Tool } from '@ravi/kernel';
import type { ReadApproval } from '@ravi/support';
import type { ApprovalReply } from '../approval/request-approval.ts';
import { approvalLimitOf, requestApproval, isAlreadyRequested } from '../approval/request-approval.ts';
import { assessRisk, needsApproval } from '../approval/assess-risk.ts';
import { checkCall } from '../approval/check-call.ts';
import { changedFields, checkEdit } from '../approval/check-edit.ts';
import { restoreHidden } from '../approval/shown-arguments.ts';
import type { ShownArguments } from '../approval/shown-arguments.ts';
import { fillPlaces } from '../content/fill-places.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopDenied } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import { toolDigest } from '../toolbox/freeze-tool.ts';
import { checkArguments } from './arguments.ts';
import { hasRefs, useArguments } from './content.ts';
import { intercept } from './intercept.ts';

/** Maximum approvals of one call: an approver and an interceptor could change each other's arguments forever. */
const maxRequests = 10;

/** Requires an approval decision for exactly these arguments when the risk is above `maxRiskUnapproved` or critical. */
export function approvalGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const assessment = assessRisk(pending);
  pending.risk = assessment.risk;
  if (!needsApproval(pending)) return pending;
  if (!wasApproved(pending) && !waitsForResult(pending)) return seekApproval(pending, assessment);
  pending.approval = pending.interrupted?.record.approval;
  return pending;
}

/** True if the earlier attempt of the call began, and had an approval for exactly these arguments of this tool. */
function wasApproved({ interrupted, argsDigest, toolDigest: digest }: PendingCall): boolean {
  if (interrupted === undefined || interrupted.toolDigest !== digest) return false;
  return interrupted.record.argsDigest === argsDigest && interrupted.record.approval?.decision === 'approved';
}

/** True if the call only waits for the result of what it has begun with these arguments. */
function waitsForResult({ interrupted, argsDigest }: PendingCall): boolean {
  return interrupted?.completion !== undefined && interrupted.record.argsDigest === argsDigest;
}

async function seekApproval(pending: PendingCall, assessment: RiskAssessment): Promise<GateOutcome> {
  const digest = toolDigest(pending.tool);
  const together = isAlreadyRequested(pending) ? undefined : approvedTogether(pending, digest);
  if (together !== undefined) {
    pending.approval = together;
    return pending;
  }
  // An earlier process may have requested approval of this very call, and the approver may have denied it.
  if (!isAlreadyRequested(pending) && pending.session.grants.covers(pending.name, digest, pending.risk)) {
    pending.approval = { requestId: '', decision: 'run-scope', waitedMs: 0 };
    return pending;
  }
  const { approvalHandler } = pending.runtime;
  if (approvalHandler === undefined) return refuseWithoutHandler(pending);
  if (pending.approvalRequests === maxRequests) return refuseUndecided(pending);
  // A request that is stored already keeps its place: the tool finds its mistakes when it runs.
  const stop = isAlreadyRequested(pending) ? undefined : await checkCall(pending);
  if (stop !== undefined) return pending.approvalRequests === 0 ? stop : refuseEdit(pending, stop.stop.text);
  return decide(pending, approvalHandler, { ...assessment, toolDigest: digest });
}

// Critical calls need a decision of their own every time.
function approvedTogether(pending: PendingCall, digest: string): ApprovalTrace | undefined {
  const { session, callId, name: tool, argsDigest, risk } = pending;
  if (risk === 'critical' || pending.isInnerCall) return undefined;
  return session.durability?.approvedCalls?.take({ callId, tool, toolDigest: digest, argsDigest, risk });
}

async function decide(
  pending: PendingCall,
  handler: ApprovalHandler,
  question: RiskAssessment & { readonly toolDigest: string },
): Promise<GateOutcome> {
  const { args, content } = pending;
  const isKept = bytesOf(content) <= pending.session.policy.maxArgumentBytes;
  if (!isKept) pending.dropContent();
  const { answer, record, shown } = await requestApproval(pending, handler, question);
  pending.approval = record;
  if (answer?.decision === 'modified') return applyModified(pending, answer, { record, shown });
  reportDecision(pending, record);
  if (answer === undefined) return refuseUnanswered(pending, record);
  if (answer.decision !== 'approved') return refuse(pending, answer);
  if (answer.isForRun) pending.session.grants.add(pending.name, question.toolDigest, pending.risk);
  if (!hasRefs(pending)) return pending;
  // The artifacts must still exist, and have the approved hashes.
  const stop = await fillPlaces(pending, pending.tool as Tool);
  if (stop !== undefined) return stop;
  // A tool may know the very object that its `classifyRisk` was given.
  if (isKept) pending.setContent(args, content);
  return pending;
}

function bytesOf(content: PendingCall['content']): number {
  return content.reduce((sum, { stat }) => sum + stat.bytes, 0);
}

/**
 * Uses the arguments of the approver. They pass interceptors, validation and assessment like those of a new call. A higher
 * risk needs a further approval, and so do arguments that an interceptor has changed again: no approver has seen those.
 */
async function applyModified(
  pending: PendingCall,
  { modified }: ReadApproval,
  { record, shown }: Omit<ApprovalReply, 'answer'>,
): Promise<GateOutcome> {
  const { risk: riskBefore, argsDigest: before, namedArgs: original } = pending;
  const read = readModified(pending, modified, shown);
  const stop = 'problem' in read ? refuseEdit(pending, read.problem) : await useArguments(pending, read.args);
  const approved = pending.argsDigest;
  const edit = { before, after: approved, changed: changedFields(original, pending.namedArgs) };
  pending.approval = Object.freeze(stop === undefined ? { ...record, edit } : record);
  reportDecision(pending, pending.approval);
  const refusal = stop ?? (await intercept(pending)) ?? checkArguments(pending);
  if (refusal !== undefined) return refusal;
  const assessment = assessRisk(pending);
  pending.risk = assessment.risk;
  const isApproved = pending.argsDigest === approved && compareRisk(pending.risk, riskBefore) <= 0;
  return isApproved || !needsApproval(pending) ? pending : seekApproval(pending, assessment);
}

function readModified(
  { tool, session, runtime, namedArgs: original }: PendingCall,
  modified: ReadApproval['modified'],
  shown: ShownArguments,
): { readonly args: JsonObject } | { readonly problem: string } {
  if (modified === undefined) return { problem: 'there are none' };
  if ('problem' in modified) return modified;
  const checks = { tool, schemas: runtime.schemas, maxArgumentBytes: session.policy.maxArgumentBytes };
  const [problem] = checkEdit(modified.args, { original, shown }, checks);
  if (problem !== undefined) return { problem: problem.message };
  const restored = restoreHidden(modified.args, original, shown);
  return 'args' in restored ? restored : { problem: 'a hidden secret cannot be restored at its new place' };
}

// The mistake is the approver's: the model must not read it as a problem of its own arguments.
function refuseEdit(pending: PendingCall, problem: string): GateStop {
  return stopDenied(
    'E_APPROVAL_DENIED',
    `The approver of ${pending.name} changed its arguments to ones that are not valid (${problem}), so it did not run. Your arguments were valid`,
  );
}

function refuseUndecided(pending: PendingCall): GateStop {
  return stopDenied(
    'E_APPROVAL_DENIED',
    `The call of ${pending.name} was stopped: its arguments or risk changed after each of ${maxRequests} approvals`,
  );
}

function refuseWithoutHandler(pending: PendingCall): GateStop {
  const record: ApprovalTrace = { requestId: '', decision: 'no-handler', waitedMs: 0 };
  pending.approval = record;
  return stopDenied(
    'E_APPROVAL_NO_HANDLER',
    `The tool ${pending.name} has risk ${pending.risk} and needs approval, but no approval handler is configured`,
  );
}

function refuseUnanswered(pending: PendingCall, record: ApprovalTrace): GateStop {
  if (record.decision !== 'timeout') {
    return stopDenied(
      'E_APPROVAL_DENIED',
      `The approval of ${pending.name} failed: ${record.reason ?? 'no valid decision'}`,
    );
  }
  const setting = pending.session.approvalExpiryMs === undefined ? ' (approvalTimeoutMs)' : '';
  return stopDenied(
    'E_APPROVAL_EXPIRED',
    `${pending.name} did not run: no decision about its approval was made within ${approvalLimitOf(pending)} ms${setting}. ` +
      'It was not denied: call it again later if it is still needed',
  );
}

function refuse(pending: PendingCall, answer: ReadApproval): GateStop {
  const reason = answer.reason === undefined ? '' : `: ${answer.reason}`;
  return stopDenied('E_APPROVAL_DENIED', `The call of ${pending.name} was ${answer.decision}${reason}`);
}

function reportDecision(pending: PendingCall, approval: ApprovalTrace): void {
  const { hooks } = pending.runtime;
  if (hooks.observes('approval-decided')) {
    hooks.emit({ type: 'approval-decided', ...pending.scope, tool: pending.name, approval });
  }
}
