import { compareRisk, isHostedTool, isLocalTool, staticRisk } from '@ravi/kernel';
import type { RiskAssessment, ToolRisk } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';

/**
 * Returns the risk of one call: the declared risk, or the default of the policy, raised by the tool's own `classifyRisk`. A
 * `classifyRisk` cannot judge bytes and streams, so with them it returns at least `high`.
 */
export function assessRisk(pending: PendingCall): RiskAssessment {
  const { tool, session } = pending;
  if (isHostedTool(tool)) return { risk: 'critical' };
  const declared = staticRisk(tool, session.policy.defaultRisk);
  if (!isLocalTool(tool) || tool.classifyRisk === undefined) return { risk: declared };
  try {
    const { risk, summary } = tool.classifyRisk(pending.args);
    const judged = pending.content.some(({ isOpaque }) => isOpaque) ? higherRisk(risk, 'high') : risk;
    const higher = higherRisk(declared, judged);
    return typeof summary === 'string' ? { risk: higher, summary } : { risk: higher };
  } catch (error) {
    pending.runtime.logger.warn('classifyRisk failed: the call counts as critical', {
      tool: tool.name,
      error: errorText(error),
    });
    return { risk: 'critical', summary: 'The risk of this call is unknown, because classifyRisk of the tool failed' };
  }
}

/** True if a call with the assessed risk needs approval. */
export function needsApproval(pending: PendingCall): boolean {
  return pending.risk === 'critical' || compareRisk(pending.risk, pending.session.policy.maxRiskUnapproved) > 0;
}

function higherRisk(left: ToolRisk, right: ToolRisk): ToolRisk {
  // Two comparisons: an invalid risk compares as NaN and must count as critical.
  return compareRisk(left, right) < 0 ? right : compareRisk(left, right) >= 0 ? left : 'critical';
}
