import { compareRisk, isHostedTool, isLocalTool } from '@ravi/kernel';
import type { RiskAssessment, ToolRisk } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';

/** The risk of one call: what the tool declares or the policy assumes, raised by what the tool says of the arguments. */
export function assessRisk(pending: PendingCall): RiskAssessment {
  const { tool, session } = pending;
  if (isHostedTool(tool)) return { risk: 'critical' };
  const declared = tool.risk ?? session.policy.defaultRisk;
  if (!isLocalTool(tool) || tool.classifyRisk === undefined) return { risk: declared };
  try {
    const { risk, summary } = tool.classifyRisk(pending.args);
    const higher = higherRisk(declared, risk);
    return typeof summary === 'string' ? { risk: higher, summary } : { risk: higher };
  } catch (error) {
    pending.runtime.logger.warn('classifyRisk failed: the call counts as critical', {
      tool: tool.name,
      error: errorText(error),
    });
    return { risk: 'critical', summary: 'The risk of this call could not be judged' };
  }
}

/** Whether somebody has to say yes to a call of the risk that was found. */
export function needsApproval(pending: PendingCall): boolean {
  return pending.risk === 'critical' || compareRisk(pending.risk, pending.session.policy.maxRiskUnapproved) > 0;
}

function higherRisk(left: ToolRisk, right: ToolRisk): ToolRisk {
  // Not `>=`: what is no risk at all compares as NaN and must count as the worst.
  return compareRisk(left, right) < 0 ? right : compareRisk(left, right) >= 0 ? left : 'critical';
}
