import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { InputRequest, InputRequests } from '@modelcontextprotocol/server';
import type { ApprovalView } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';
import { visibleText } from '@ravi/support';
import type { GatewayDecision, McpGateway } from './gateway.ts';

// A person must see everything that will run. Clients show a message in a small window.
const maxMessageCharacters = 4_000;

/** Forms of questions that a client can show. */
export interface AskingModes {
  readonly form: boolean;
  readonly url: boolean;
}

/** Questions that the user of a client can answer. */
export interface AnswerableModes extends AskingModes {
  /** False for a caller that may not decide: it answers only what its own calls ask, which needs no role. */
  readonly approvals: boolean;
}

/** Returns the questions that the user of a client can answer; `undefined` if the client shows none. */
export async function answerableModes(
  modes: AskingModes | undefined,
  gateway: McpGateway,
): Promise<AnswerableModes | undefined> {
  return modes && { ...modes, approvals: (await gateway.caller()).mayApprove };
}

/**
 * Returns the questions that a client shows its user: approvals of calls, and questions of calls in progress, by their ids. Calls whose
 * arguments are too long to be shown there are left to the inbox.
 */
export function questionsFor(pending: readonly ApprovalView[], modes: AnswerableModes): InputRequests {
  const questions: Record<string, InputRequest> = {};
  for (const approval of pending) {
    const question =
      approval.elicitation === undefined ? approvalQuestion(approval, modes) : ownQuestion(approval, modes);
    if (question !== undefined) questions[approval.id] = question;
  }
  return questions;
}

// A client shows every question as one of Ravi, and the text is that of a tool, which can imitate an approval.
function ownQuestion({ tool, elicitation: asked }: ApprovalView, modes: AskingModes): InputRequest | undefined {
  if (asked === undefined) return undefined;
  const message = visibleText(`The tool ${tool} asks, and gets the answer. It approves no call:\n\n${asked.message}`);
  if (asked.mode === 'url') return modes.url ? inputRequired.elicitUrl({ message, url: asked.url }) : undefined;
  // The tool that asks declares a schema of the protocol.
  const requestedSchema = asked.schema as Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];
  return modes.form ? inputRequired.elicit({ message, requestedSchema }) : undefined;
}

function approvalQuestion(approval: ApprovalView, { form, approvals }: AnswerableModes): InputRequest | undefined {
  if (!form || !approvals) return undefined;
  const message = messageOf(approval);
  if (message.length > maxMessageCharacters) return undefined;
  return inputRequired.elicit({
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
  for (const { id, elicitation } of await gateway.pending(runId)) {
    const decision = elicitation === undefined ? decisionOf(responses, id) : answerOf(responses, id);
    const isTaken = decision !== undefined && (await decide(id, decision, gateway));
    if (responses?.[id] !== undefined && !isTaken) mayAskAgain = false;
  }
  return mayAskAgain;
}

// Returns false if the caller may not decide. If another approver was faster, the run continues with that decision; an answer that does
// not fit its form is asked for again.
async function decide(id: string, decision: GatewayDecision, gateway: McpGateway): Promise<boolean> {
  try {
    await gateway.decide(id, decision);
    return true;
  } catch (error) {
    const { code = '' } = error as { readonly code?: string };
    if (code === 'E_APPROVAL_FOUR_EYES' || code === 'E_FORBIDDEN') return false;
    if (leftCodes.has(code)) return true;
    throw error;
  }
}

const leftCodes = new Set([
  'E_APPROVAL_DECIDED',
  'E_APPROVAL_EXPIRED',
  'E_APPROVAL_WITHDRAWN',
  'E_APPROVAL_EDIT_INVALID',
]);

function decisionOf(responses: Record<string, unknown> | undefined, id: string): GatewayDecision | undefined {
  const view = inputResponse(responses, id);
  if (view.kind !== 'elicit' || view.action === 'cancel') return undefined;
  if (view.action === 'decline') return { decision: 'denied' };
  const { decision, reason } = view.content ?? {};
  const why = typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, 1_000) } : {};
  if (decision === 'approve') return { decision: 'approved', ...why };
  return decision === 'deny' ? { decision: 'denied', ...why } : undefined;
}

// The call waits, so that also a user who closes the question ends its wait.
function answerOf(responses: Record<string, unknown> | undefined, id: string): GatewayDecision | undefined {
  const view = inputResponse(responses, id);
  if (view.kind !== 'elicit') return undefined;
  if (view.action !== 'accept') return { decision: 'denied' };
  return { decision: 'approved', ...(view.content === undefined ? {} : { content: view.content as JsonObject }) };
}
