import { KernelError, requestedCalls } from '@ravi/kernel';
import type { ApprovalDecisionInput, ApprovalHandler, RequestedCall, ToolRisk } from '@ravi/kernel';

/** A rule for the calls that it matches. A rule with neither `tool` nor `risk` matches every call. */
export interface AutoApprovalRule {
  /** Name of the tool; `*` matches any characters. */
  readonly tool?: string;
  /** Matches calls with exactly this risk. */
  readonly risk?: ToolRisk;
  readonly decision: 'approved' | 'denied' | 'skipped';
  /** Shown to the model instead of a sentence about the rule. */
  readonly reason?: string;
}

/** Options of {@link createAutoApproval}. */
export interface AutoApprovalOptions {
  /** The first rule that matches decides. */
  readonly rules: readonly AutoApprovalRule[];
}

/**
 * Creates an approval handler that decides at once by rules. A call that no rule matches is denied. A request for input needs a
 * person: it is rejected with `E_UNSUPPORTED`, so that the inbox of a server still shows it. A request for several calls is approved if
 * rules approve it and each of the calls.
 */
export function createAutoApproval({ rules }: AutoApprovalOptions): ApprovalHandler {
  const compiled = rules.map((rule) => ({ rule, fits: matcherOf(rule) }));

  return {
    async request(request, { signal }): Promise<ApprovalDecisionInput> {
      if (signal.aborted) return denied('The request was withdrawn before it was decided');
      if (request.elicitation !== undefined) {
        throw new KernelError('E_UNSUPPORTED', `The tool "${request.tool}" asks for input, and rules decide approvals`);
      }
      const calls = requestedCalls(request);
      if (calls === undefined) return denied(`The request of "${request.tool}" does not say which calls it is about`);
      const decisions = calls.map(decide);
      return decisions.find(({ decision }) => decision !== 'approved') ?? decisions[0] ?? denied('There is no call');
    },
  };

  function decide(call: RequestedCall): ApprovalDecisionInput {
    const position = compiled.findIndex(({ fits }) => fits(call));
    const rule = compiled[position]?.rule;
    if (rule === undefined) return denied(`No approval rule matches the tool "${call.tool}" with risk ${call.risk}`);
    const reason = rule.reason ?? `Approval rule ${position + 1} matches`;
    return { decision: rule.decision, reason, approver: `rule ${position + 1}` };
  }
}

function denied(reason: string): ApprovalDecisionInput {
  return { decision: 'denied', reason, approver: 'no rule' };
}

function matcherOf(rule: AutoApprovalRule): (call: RequestedCall) => boolean {
  const names = rule.tool === undefined ? undefined : globPattern(rule.tool);
  return ({ tool, risk }) => (names?.test(tool) ?? true) && (rule.risk === undefined || rule.risk === risk);
}

function globPattern(glob: string): RegExp {
  const literals = glob.split(/\*+/).map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('.*')}$`, 's');
}
