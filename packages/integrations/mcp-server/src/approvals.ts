import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { InputRequest, InputRequests } from '@modelcontextprotocol/server';
import type { ApprovalView } from '@ravi/api';
import { visibleText } from '@ravi/support';
import type { McpGateway } from './gateway.ts';

// A person must see everything that will run. Clients show a message in a small window.
const maxMessageCharacters = 4_000;

/**
 * Returns the questions with which a client asks its user to approve calls, by the ids of the approvals. Calls whose arguments are too
 * long to be shown there are left to the inbox.
 */
export function approvalQuestions(pending: readonly ApprovalView[]): InputRequests {
  const questions: Record<string, InputRequest> = {};
  for (const approval of pending) {
    const message = messageOf(approval);
    if (message.length > maxMessageCharacters) continue;
    questions[approval.id] = inputRequired.elicit({
      message,
      requestedSchema: {
        type: 'object',
        properties: {
          decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
          reason: { type: 'string', title: 'Reason', description: 'Shown to the model', maxLength: 1_000 },
        },
        required: ['decision'],
      },
    });
  }
  return questions;
}

/** Returns what will run, with marks where the text is not what it seems. */
function messageOf({ tool, risk, summary, description, display }: ApprovalView): string {
  const rows = (display?.rows ?? []).flatMap(({ depth, segments }) => {
    const indent = '  '.repeat(depth);
    const line = `${indent}${segments.map(({ text }) => text).join('')}`;
    const notes = segments.flatMap(({ text, mark, note }) =>
      mark === undefined ? [] : [`${indent}^ ${text.slice(0, 40)}: ${note ?? mark}`],
    );
    return [line, ...notes];
  });
  const purpose = summary ?? description.split('\n', 1)[0] ?? '';
  return visibleText([`Allow this call of ${tool} (risk ${risk})?`, purpose, '', ...rows].join('\n'));
}

/**
 * Decides the approvals of a run with the answers of the user. Only requests of this run that still wait are decided; an answer that
 * is missing, or not one of the choices, leaves its request open. Returns false if the user did not answer, or the caller may not
 * decide: do not ask again.
 */
export async function decideWith(
  responses: Record<string, unknown> | undefined,
  runId: string,
  gateway: McpGateway,
): Promise<boolean> {
  let mayAskAgain = true;
  for (const { id } of await gateway.pending(runId)) {
    const decision = decisionOf(responses, id);
    const isTaken = decision !== undefined && (await decide(id, decision, gateway));
    if (responses?.[id] !== undefined && !isTaken) mayAskAgain = false;
  }
  return mayAskAgain;
}

// Returns false if the caller may not decide. If another approver was faster, the run continues with that decision.
async function decide(id: string, decision: Decision, gateway: McpGateway): Promise<boolean> {
  try {
    await gateway.decide(id, decision);
    return true;
  } catch (error) {
    const { code = '' } = error as { readonly code?: string };
    if (code === 'E_APPROVAL_FOUR_EYES' || code === 'E_FORBIDDEN') return false;
    if (lateCodes.has(code)) return true;
    throw error;
  }
}

const lateCodes = new Set(['E_APPROVAL_DECIDED', 'E_APPROVAL_EXPIRED', 'E_APPROVAL_WITHDRAWN']);

type Decision = Parameters<McpGateway['decide']>[1];

function decisionOf(responses: Record<string, unknown> | undefined, id: string): Decision | undefined {
  const view = inputResponse(responses, id);
  if (view.kind !== 'elicit' || view.action === 'cancel') return undefined;
  if (view.action === 'decline') return { decision: 'denied' };
  const { decision, reason } = view.content ?? {};
  const why = typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, 1_000) } : {};
  if (decision === 'approve') return { decision: 'approved', ...why };
  return decision === 'deny' ? { decision: 'denied', ...why } : undefined;
}
