import type { GatewayDecision } from '@ravi/gateway-kit';
import type { ApprovalRequest, JsonObject } from '@ravi/kernel';

/** Decision that a person may make. `edit` approves other arguments. */
export type DecisionType = 'approve' | 'edit' | 'reject';

/** One call that waits for a decision, in the shape of LangChain's human-in-the-loop middleware. */
export interface RaviActionRequest {
  /** Tool that waits; inside a script it is the tool that the script calls. */
  readonly name: string;
  readonly args: JsonObject;
  /** Effect of the call, its risk and what the tool is for. */
  readonly description: string;
  /** Names the request. A decision without it does not count. */
  readonly requestId: string;
  readonly risk: ApprovalRequest['risk'];
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Value of an interrupt: calls that wait for people. Interfaces for LangChain's human-in-the-loop middleware can show it. */
export interface ApprovalQuestion {
  readonly source: 'ravi';
  readonly actionRequests: readonly RaviActionRequest[];
  readonly reviewConfigs: readonly {
    readonly actionName: string;
    readonly allowedDecisions: readonly DecisionType[];
  }[];
}

/** Decision on one call of an {@link ApprovalQuestion}. */
export interface ActionDecision {
  readonly type: DecisionType;
  readonly requestId: string;
  /** Reason, for the model. */
  readonly message?: string;
  /** Arguments to run with instead; required for `edit`. */
  readonly editedAction?: { readonly args: JsonObject };
  /** Name of the person who decides, for the trace. */
  readonly approver?: string;
}

/** Value to resume with. A question that has no decision stays open and is asked again. */
export interface ApprovalAnswer {
  readonly decisions: readonly ActionDecision[];
}

const allowedDecisions: readonly DecisionType[] = ['approve', 'edit', 'reject'];

/** Returns the question for these requests. */
export function questionOf(requests: readonly ApprovalRequest[]): ApprovalQuestion {
  return {
    source: 'ravi',
    actionRequests: requests.map(({ id, tool, args, description, summary, risk, expiresAt }) => ({
      name: tool,
      args,
      description: `${summary ?? description} (risk: ${risk})`,
      requestId: id,
      risk,
      expiresAt,
    })),
    reviewConfigs: [...new Set(requests.map(({ tool }) => tool))].map((actionName) => ({
      actionName,
      allowedDecisions,
    })),
  };
}

/** Returns true if the value of an interrupt is an {@link ApprovalQuestion}. */
export function isApprovalQuestion(value: unknown): value is ApprovalQuestion {
  return isRecord(value) && value['source'] === 'ravi' && Array.isArray(value['actionRequests']);
}

/** Person's choice for {@link answerTo}. */
export type Choice =
  | 'approve'
  | 'reject'
  | (Omit<ActionDecision, 'requestId'> & {
      /** Only the request with this id; all of the interrupt when absent. */
      readonly requestId?: string;
    });

/**
 * Returns the value for `new Command({ resume })` that makes one choice for the calls of an interrupt. Other interrupts of the graph
 * stay open.
 * @throws TypeError if it is not an interrupt of Ravi
 */
export function answerTo(
  interrupt: { readonly id?: string; readonly value?: unknown },
  choice: Choice,
): Readonly<Record<string, ApprovalAnswer>> {
  const { id, value } = interrupt;
  if (id === undefined || !isApprovalQuestion(value)) throw new TypeError('This is not an interrupt of Ravi');
  const { requestId: only, ...decision } = typeof choice === 'string' ? { type: choice } : choice;
  const chosen = value.actionRequests.filter(({ requestId }) => only === undefined || requestId === only);
  return { [id]: { decisions: chosen.map(({ requestId }) => ({ ...decision, requestId })) } };
}

/** Reads the value that a graph was resumed with. Decisions that are malformed or name no request are left out. */
export function readAnswer(value: unknown): readonly (GatewayDecision & { readonly requestId: string })[] {
  const decisions = isRecord(value) ? value['decisions'] : undefined;
  return Array.isArray(decisions) ? decisions.flatMap((decision: unknown) => readDecision(decision)) : [];
}

function readDecision(value: unknown): readonly (GatewayDecision & { readonly requestId: string })[] {
  if (!isRecord(value)) return [];
  const { type, requestId, message, editedAction, approver } = value;
  if (typeof requestId !== 'string') return [];
  const common = {
    requestId,
    ...(typeof message === 'string' ? { reason: message } : {}),
    ...(typeof approver === 'string' ? { approver } : {}),
  };
  if (type === 'approve') return [{ ...common, decision: 'approved' }];
  if (type === 'reject') return [{ ...common, decision: 'denied' }];
  const args = isRecord(editedAction) ? editedAction['args'] : undefined;
  if (type !== 'edit' || !isRecord(args)) return [];
  return [{ ...common, decision: 'modified', modifiedArgs: args as JsonObject }];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
