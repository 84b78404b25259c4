import { compareRisk, isCallWithin, KernelError } from '@ravi/kernel';
import type { ApprovalDecisionInput, ApprovalHandler, ApprovalRequest } from '@ravi/kernel';
import type { ActiveCall } from './active-call.ts';

/** Maximum number of scripts that wait for approval at a time; each keeps its sandbox. */
const maxWaitingScripts = 32;

/** Handler that answers with decisions which the framework passes on. */
export interface ApprovalBroker extends ApprovalHandler {
  readonly active: Set<ActiveCall>;
}

/** Creates an {@link ApprovalBroker}. `questions` answers what running tools ask, and keeps the tokens of calls that wait for results from outside; without it
 * neither is supported. */
export function createApprovalBroker(questions?: ApprovalHandler): ApprovalBroker {
  const active = new Set<ActiveCall>();
  const find = (request: ApprovalRequest): ActiveCall | undefined => {
    for (const call of active) {
      const { runId, sessionId = runId, principal = 'local' } = call.run;
      const isOfRun = runId === request.runId && sessionId === request.sessionId && principal === request.principal;
      if (isOfRun && isCallWithin(request.callId, call)) return call;
    }
    return undefined;
  };
  return {
    active,
    takesCompletions: questions?.takesCompletions === true,
    request(request, options) {
      if (request.elicitation !== undefined || request.completion !== undefined) {
        return questions?.request(request, options) ?? Promise.reject(noPerson());
      }
      const call = find(request);
      if (call === undefined) return denied('The framework did not make this call');
      if (request.callId === call.id) return Promise.resolve(takeApproval(call, request));
      const waiting = [...active].filter((each) => each.isWaiting && each !== call).length;
      if (waiting >= maxWaitingScripts) return denied(`${waiting} other scripts wait for approval`);
      return call.ask(request, options.signal);
    },
  };
}

// The call may have changed since a person saw it: by an interceptor, a new definition or other content of an artifact.
function takeApproval(call: ActiveCall, request: ApprovalRequest): ApprovalDecisionInput {
  const { approval } = call;
  call.approval = undefined;
  if (approval === undefined)
    return { decision: 'denied', reason: 'It needs approval, which was not requested before' };
  const { request: seen, decision } = approval;
  const isSame =
    seen.argsDigest === request.argsDigest &&
    seen.toolDigest === request.toolDigest &&
    seen.id === request.id &&
    compareRisk(request.risk, seen.risk) <= 0;
  return isSame ? decision : { decision: 'denied', reason: 'The call changed after it was approved' };
}

function noPerson(): KernelError {
  return new KernelError('E_UNSUPPORTED', 'There is no person to ask: give the gateway an approvalHandler');
}

async function denied(reason: string): Promise<ApprovalDecisionInput> {
  return { decision: 'denied', reason };
}
