import { compareRisk } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalTrace, RiskAssessment } from '@ravi/kernel';
import type { ReadApproval } from '@ravi/support';
import { approvalLimitOf, requestApproval, isAlreadyRequested } from '../approval/request-approval.ts';
import { assessRisk, needsApproval } from '../approval/assess-risk.ts';
import { redacted, restoreRedacted } from '../arguments/redact.ts';
import { loadArtifactStats } from '../artifact-stats.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopDenied } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import { toolDigest } from '../toolbox/freeze-tool.ts';
import { checkArguments, unreadable } from './arguments.ts';

/** Requires an approval decision for exactly these arguments when the risk is above `maxRiskUnapproved` or critical. */
export function approvalGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const assessment = assessRisk(pending);
  pending.risk = assessment.risk;
  return needsApproval(pending) ? seekApproval(pending, assessment) : pending;
}

/** Assesses the risk again after the arguments changed; requests approval only if the risk is higher than before. */
export function judgeAgain(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const before = pending.risk;
  const assessment = assessRisk(pending);
  pending.risk = assessment.risk;
  const isRaised = compareRisk(pending.risk, before) > 0;
  return isRaised && needsApproval(pending) ? seekApproval(pending, assessment) : pending;
}

async function seekApproval(pending: PendingCall, assessment: RiskAssessment): Promise<GateOutcome> {
  const stop = await loadArtifactStats(pending);
  if (stop !== undefined) return stop;
  const digest = toolDigest(pending.tool);
  // An earlier process may have requested approval of this very call, and the approver may have denied it.
  if (!isAlreadyRequested(pending) && pending.session.grants.covers(pending.name, digest, pending.risk)) {
    pending.approval = { requestId: '', decision: 'run-scope', waitedMs: 0 };
    return pending;
  }
  const { approvalHandler } = pending.runtime;
  if (approvalHandler === undefined) return refuseWithoutHandler(pending);
  return decide(pending, approvalHandler, { ...assessment, toolDigest: digest });
}

async function decide(
  pending: PendingCall,
  handler: ApprovalHandler,
  question: RiskAssessment & { readonly toolDigest: string },
): Promise<GateOutcome> {
  const { answer, record } = await requestApproval(pending, handler, question);
  pending.approval = record;
  reportDecision(pending, record);
  if (answer === undefined) return refuseUnanswered(pending, record);
  if (answer.decision === 'modified') return applyModified(pending, answer);
  if (answer.decision !== 'approved') return refuse(pending, answer);
  if (answer.isForRun) pending.session.grants.add(pending.name, question.toolDigest, pending.risk);
  return pending;
}

// Modified arguments are validated and assessed like a new call; a higher risk needs a further approval.
function applyModified(pending: PendingCall, answer: ReadApproval): GateOutcome | Promise<GateOutcome> {
  const stop = unreadable(pending, takeModified(pending, answer)) ?? checkArguments(pending);
  return stop ?? judgeAgain(pending);
}

function takeModified(pending: PendingCall, { modified }: ReadApproval): string | undefined {
  if (modified === undefined) return 'the approval has no modified arguments';
  if ('problem' in modified) return modified.problem;
  const complete = restoreRedacted(modified.args, pending.namedArgs);
  if (complete === undefined) return `the approval left "${redacted}" where it is not clear which secret belongs`;
  return pending.readArguments(complete);
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
      `The approval of ${pending.name} failed: ${record.reason ?? 'no valid answer'}`,
    );
  }
  const limit = approvalLimitOf(pending);
  const advice = pending.caller === 'chain' ? 'Call it directly, outside a script, or try later' : 'Try again later';
  return stopDenied(
    'E_APPROVAL_TIMEOUT',
    `${pending.name} was not approved within ${limit} ms (approvalTimeoutMs). ${advice}`,
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
