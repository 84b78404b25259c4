import type { ApprovalRequest, InvocationResult, ToolRisk } from '@ravi/kernel';
import { assessRisk, needsApproval } from './approval/assess-risk.ts';
import { checkCall } from './approval/check-call.ts';
import { requestFor, shownArguments } from './approval/request-approval.ts';
import { allowedGate } from './gates/allowed.ts';
import { argumentsGate } from './gates/arguments.ts';
import { contentGate } from './gates/content.ts';
import { interceptGate } from './gates/intercept.ts';
import { kindGate } from './gates/kind.ts';
import { lookupGate } from './gates/lookup.ts';
import type { Gate, PendingCall } from './pending-call.ts';
import { toolDigest } from './toolbox/freeze-tool.ts';

/** Outlook of a call that has not been made. */
export type CallAssessment =
  /** A gate would refuse it with this result. */
  | { readonly status: 'refused'; readonly result: InvocationResult }
  /** It would run without approval. */
  | { readonly status: 'ready'; readonly risk?: ToolRisk }
  /** It would need approval: the request as an approver would get it. */
  | { readonly status: 'needs-approval'; readonly request: ApprovalRequest };

/** Gates without an effect. */
const gates: readonly Gate[] = [lookupGate, kindGate, allowedGate, contentGate, interceptGate, argumentsGate];

/** Passes a call through the gates before its approval and drops it. */
export async function assessCall(pending: PendingCall): Promise<CallAssessment> {
  try {
    pending.cancellation.check();
    for (const gate of gates) {
      const outcome = await gate(pending);
      if ('stop' in outcome) return { status: 'refused', result: outcome.stop };
    }
    const { risk, summary } = assessRisk(pending);
    pending.risk = risk;
    const digest = toolDigest(pending.tool);
    const { grants } = pending.session;
    if (!needsApproval(pending) || grants.covers(pending.name, digest, risk)) return { status: 'ready', risk };
    const stop = await checkCall(pending);
    if (stop !== undefined) return { status: 'refused', result: stop.stop };
    const question = { risk, toolDigest: digest, ...(summary === undefined ? {} : { summary }) };
    return { status: 'needs-approval', request: requestFor(pending, question, shownArguments(pending)) };
  } finally {
    pending.leave();
  }
}
