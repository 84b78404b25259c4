import { compareRisk, isHostedTool, isLocalTool } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalRecord, JsonObject, RiskAssessment, ToolRisk } from '@ravi/kernel';
import { sha256OfJson } from '../../arguments/digest.ts';
import { redacted } from '../../arguments/redact.ts';
import { restoreRedacted } from '../../arguments/restore-redacted.ts';
import { askHuman } from '../ask-human.ts';
import { loadArtifactStats } from '../artifact-stats.ts';
import { stopDenied } from '../results.ts';
import { checkArguments, unreadable } from './arguments.ts';
import type { GateOutcome, GateStop, PendingCall } from '../pending-call.ts';
import type { ReadApproval } from '../read-approval.ts';

/** Gate 4: a call above `maxRiskUnapproved`, and every critical one, needs somebody's yes for exactly these arguments. */
export function approvalGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const assessment = assess(pending);
  pending.risk = assessment.risk;
  return needsApproval(pending) ? seekApproval(pending, assessment) : pending;
}

function assess(pending: PendingCall): RiskAssessment {
  const { tool, session } = pending;
  if (isHostedTool(tool)) return { risk: 'critical' };
  const declared = tool.risk ?? session.policy.defaultRisk;
  if (!isLocalTool(tool) || tool.classifyRisk === undefined) return { risk: declared };
  try {
    const judged = tool.classifyRisk(pending.args);
    return { ...judged, risk: higherRisk(declared, judged.risk) };
  } catch (error) {
    pending.runtime.logger.warn('classifyRisk failed: the call counts as critical', {
      tool: tool.name,
      error: String(error),
    });
    return { risk: 'critical', summary: 'The risk of this call could not be judged' };
  }
}

function higherRisk(left: ToolRisk, right: ToolRisk): ToolRisk {
  // Not `>=`: what is no risk at all compares as NaN and must count as the worst.
  return compareRisk(left, right) < 0 ? right : compareRisk(left, right) >= 0 ? left : 'critical';
}

function needsApproval(pending: PendingCall): boolean {
  return pending.risk === 'critical' || compareRisk(pending.risk, pending.session.policy.maxRiskUnapproved) > 0;
}

async function seekApproval(pending: PendingCall, assessment: RiskAssessment): Promise<GateOutcome> {
  await loadArtifactStats(pending);
  const toolDigest = digestOfTool(pending);
  if (pending.session.grants.covers(pending.name, toolDigest, pending.risk)) {
    pending.approval = { requestId: '', decision: 'run-scope', waitedMs: 0 };
    return pending;
  }
  const { approvalHandler } = pending.runtime;
  if (approvalHandler === undefined) return refuseWithoutHandler(pending);
  return decide(pending, approvalHandler, { ...assessment, toolDigest });
}

async function decide(
  pending: PendingCall,
  handler: ApprovalHandler,
  question: RiskAssessment & { readonly toolDigest: string },
): Promise<GateOutcome> {
  const { answer, record } = await askHuman(pending, handler, question);
  pending.approval = record;
  reportDecision(pending, record);
  if (answer === undefined) return refuseUnanswered(pending, record);
  if (answer.decision === 'modified') return applyModified(pending, answer);
  if (answer.decision !== 'approved') return refuse(pending, answer);
  if (answer.isForRun) pending.session.grants.add(pending.name, question.toolDigest, pending.risk);
  return pending;
}

// Other arguments are another call: they are validated and judged again, and a raised risk is asked about again.
function applyModified(pending: PendingCall, answer: ReadApproval): GateOutcome | Promise<GateOutcome> {
  const approvedRisk = pending.risk;
  const stop =
    unreadable(pending, takeModified(pending, answer)) ??
    checkArguments(
      pending,
      pending.artifacts.map((place) => place.path),
    );
  if (stop !== undefined) return stop;
  const assessment = assess(pending);
  pending.risk = assessment.risk;
  return compareRisk(pending.risk, approvedRisk) > 0 ? seekApproval(pending, assessment) : pending;
}

function takeModified(pending: PendingCall, { modified }: ReadApproval): string | undefined {
  if (modified === undefined) return 'the approval gave none';
  if ('problem' in modified) return modified.problem;
  const complete = restoreRedacted(modified.args, pending.namedArgs);
  if (complete === undefined) return `the approval left "${redacted}" where it is not clear which secret belongs`;
  return pending.readArguments(complete);
}

function refuseWithoutHandler(pending: PendingCall): GateStop {
  const record: ApprovalRecord = { requestId: '', decision: 'no-handler', waitedMs: 0 };
  pending.approval = record;
  return stopDenied(
    'E_APPROVAL_NO_HANDLER',
    `The tool ${pending.name} has risk ${pending.risk} and needs approval, but nobody is there to ask (no approval handler)`,
  );
}

function refuseUnanswered(pending: PendingCall, record: ApprovalRecord): GateStop {
  if (record.decision !== 'timeout') {
    return stopDenied(
      'E_APPROVAL_DENIED',
      `The approval of ${pending.name} failed: ${record.reason ?? 'no valid answer'}`,
    );
  }
  const limit = pending.session.policy.approvalTimeoutMs;
  return stopDenied(
    'E_APPROVAL_TIMEOUT',
    `Nobody approved ${pending.name} within ${limit} ms (approvalTimeoutMs). Call it directly, outside a script, or try later`,
  );
}

function refuse(pending: PendingCall, answer: ReadApproval): GateStop {
  const reason = answer.reason === undefined ? '' : `: ${answer.reason}`;
  return stopDenied('E_APPROVAL_DENIED', `The call of ${pending.name} was ${answer.decision}${reason}`);
}

function reportDecision(pending: PendingCall, approval: ApprovalRecord): void {
  const { hooks } = pending.runtime;
  if (hooks.observes('approval-decided')) {
    hooks.emit('approval-decided', { ...pending.scope, tool: pending.name, approval });
  }
}

function digestOfTool(pending: PendingCall): string {
  const { tool } = pending;
  const { name, description } = tool;
  if (!isLocalTool(tool)) return sha256OfJson({ name, description });
  const inputSchema = tool.inputSchema as JsonObject;
  return sha256OfJson({ name, description, inputSchema, risk: tool.risk ?? null });
}
