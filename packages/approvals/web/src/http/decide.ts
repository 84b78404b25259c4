import type { Approval, RecordedDecision, ApprovalDecision, JsonObject } from '@ravi/kernel';
import { mayDecideFor } from '../access/tokens.ts';
import { viewOf } from '../view.ts';
import { answer } from './answer.ts';
import type { Access, HttpServices } from './context.ts';
import { unknownApproval } from './list.ts';
import { endOverdue } from './overdue.ts';
import { problem, refuse } from './problem.ts';
import { isObject, readBody } from './read-body.ts';

const decisions: ReadonlySet<unknown> = new Set<ApprovalDecision>(['approved', 'denied', 'skipped', 'modified']);
const maxReasonCharacters = 4_000;

/** `POST /v1/approvals/{id}/decision`: decides, once. Who comes second is told how it stands. */
export async function decideApproval(
  request: Request,
  target: { readonly id: string; readonly access: Access },
  services: HttpServices,
): Promise<Response> {
  const { store, clock, feed, config } = services;
  const { id, access } = target;
  const body = await readBody(request, config.maxBodyBytes, ['decision', 'reason', 'modifiedArgs', 'scope']);
  const approval = await store.get(id);
  const { approver } = access;
  if (approval === undefined || !mayDecideFor(approver, approval.request.principal)) throw unknownApproval(id);
  const now = clock.now();
  const outcome = await store.decide(id, readAnswer(body, { approver: approver.principal, now, approval }));
  feed.nudge();
  if (outcome.status === 'done') return answer(200, { approval: viewOf(outcome.approval, { now, isWhole: true }) });
  if (outcome.status === 'conflict') return conflict(outcome.approval, now, services);
  throw unknownApproval(id);
}

interface Circumstances {
  readonly approver: string;
  readonly now: number;
  readonly approval: Approval;
}

function readAnswer(body: JsonObject, { approver, now, approval }: Circumstances): RecordedDecision {
  const { decision, reason = '', modifiedArgs, scope = 'once' } = body;
  if (!decisions.has(decision)) throw invalid(`"decision" must be one of ${[...decisions].join(', ')}`);
  if (typeof reason !== 'string' || reason.length > maxReasonCharacters) {
    throw invalid(`"reason" must be text of at most ${maxReasonCharacters} characters`);
  }
  if (scope !== 'once' && scope !== 'run') throw invalid('"scope" must be "once" or "run"');
  const isModified = decision === 'modified';
  if (isModified && !isObject(modifiedArgs)) throw invalid('"modifiedArgs" must be a JSON object for "modified"');
  if (!isModified && modifiedArgs !== undefined) throw invalid('"modifiedArgs" goes with "modified" only');
  const isYes = isModified || decision === 'approved';
  if (scope === 'run' && !isYes) throw invalid('Only a yes can hold for the whole run');
  if (scope === 'run' && approval.request.risk === 'critical') {
    throw invalid('A critical call is decided every time; its approval cannot hold for the whole run');
  }
  return {
    decision: decision as ApprovalDecision,
    approver,
    decidedAt: now,
    ...(isYes ? { scope } : {}),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(isModified ? { modifiedArgs: modifiedArgs as JsonObject } : {}),
  };
}

async function conflict(approval: Approval, now: number, services: HttpServices): Promise<Response> {
  const view = viewOf(approval, { now, isWhole: true });
  if (view.answer !== undefined) {
    const { approver = 'somebody', decision } = view.answer;
    const message = `${approver} was first: this request is ${decision}. Your answer changed nothing`;
    return refuse({ code: 'E_APPROVAL_DECIDED', message }, { approval: view });
  }
  await endOverdue(services);
  const message = 'Nobody waits for an answer to this request any more. Your answer changed nothing';
  return refuse({ code: 'E_APPROVAL_EXPIRED', message }, { approval: view });
}

function invalid(message: string): Error {
  return problem('E_REQUEST_INVALID', message);
}
