import { compareRisk, isHostedTool, isLocalTool } from '@ravi/kernel';
import type {
  ApprovalHandler,
  ApprovalRecord,
  ApprovalResult,
  JsonObject,
  RiskAssessment,
  ToolRisk,
} from '@ravi/kernel';
import { sha256OfJson } from '../../arguments/digest.ts';
import { restoreRedacted } from '../../arguments/redact.ts';
import { askHuman } from '../ask-human.ts';
import { loadArtifactStats } from '../artifact-stats.ts';
import { stopDenied } from '../results.ts';
import { checkArguments, unreadable } from './arguments.ts';
import type { GateOutcome, GateStop, PendingCall } from '../pending-call.ts';

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
  const answer = await askHuman(pending, handler, question);
  pending.approval = answer.record;
  reportDecision(pending, answer.record);
  if (answer.result === undefined) return refuseUnanswered(pending, answer.record);
  const { decision, scope } = answer.result;
  if (decision === 'modified') return applyModified(pending, answer.result);
  if (decision !== 'approved') return refuse(pending, answer.result);
  if (scope === 'run') pending.session.grants.add(pending.name, question.toolDigest, pending.risk);
  return pending;
}

// Other arguments are another call: they are validated and judged again, and a raised risk is asked about again.
function applyModified(pending: PendingCall, result: ApprovalResult): GateOutcome | Promise<GateOutcome> {
  const approvedRisk = pending.risk;
  const edited = restoreRedacted(result.modifiedArgs as JsonObject, pending.namedArgs);
  const stop =
    unreadable(pending, pending.readArguments(edited)) ??
    checkArguments(
      pending,
      pending.artifacts.map((place) => place.path),
    );
  if (stop !== undefined) return stop;
  const assessment = assess(pending);
  pending.risk = assessment.risk;
  return compareRisk(pending.risk, approvedRisk) > 0 ? seekApproval(pending, assessment) : pending;
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

function refuse(pending: PendingCall, result: ApprovalResult): GateStop {
  const reason = result.reason === undefined ? '' : `: ${result.reason}`;
  return stopDenied('E_APPROVAL_DENIED', `The call of ${pending.name} was ${result.decision}${reason}`);
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
