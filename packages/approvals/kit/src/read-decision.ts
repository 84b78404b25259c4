import { approveCallsTool, KernelError } from '@ravi/kernel';
import type { Approval, ApprovalDecision, JsonObject, JsonValue, RecordedDecision } from '@ravi/kernel';

/** Context of {@link readDecision}. */
export interface DecisionContext {
  readonly approval: Approval;
  /** Recorded as the approver. */
  readonly approver: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

const decisions: ReadonlySet<unknown> = new Set<ApprovalDecision>(['approved', 'denied', 'skipped', 'modified']);
const keys: readonly string[] = ['decision', 'reason', 'modifiedArgs', 'content', 'scope'];
const maxReasonCharacters = 4_000;
const maxDepth = 64;

/**
 * Validates the body of a request that decides an approval.
 * @throws KernelError `E_REQUEST_INVALID`; the message names the invalid key
 */
export function readDecision(body: JsonObject, { approval, approver, now }: DecisionContext): RecordedDecision {
  const unknown = Object.keys(body).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw invalid(`"${unknown}" is not a known key; the keys are ${keys.join(', ')}`);
  const { decision, reason = '', modifiedArgs, content, scope = 'once' } = body;
  const isInput = approval.request.elicitation !== undefined;
  if (!decisions.has(decision)) throw invalid(`"decision" must be one of ${[...decisions].join(', ')}`);
  if (typeof reason !== 'string' || reason.length > maxReasonCharacters) {
    throw invalid(`"reason" must be text of at most ${maxReasonCharacters} characters`);
  }
  if (scope !== 'once' && scope !== 'run') throw invalid('"scope" must be "once" or "run"');
  const isModified = decision === 'modified';
  if (isModified && !isObject(modifiedArgs)) throw invalid('"modifiedArgs" must be a JSON object for "modified"');
  if (isModified && isDeep(modifiedArgs)) throw invalid(`"modifiedArgs" is nested more than ${maxDepth} levels deep`);
  if (!isModified && modifiedArgs !== undefined) throw invalid('"modifiedArgs" is only valid with "modified"');
  const isApproval = isModified || decision === 'approved';
  if (scope === 'run' && !isApproval) throw invalid('scope "run" is only valid with an approval');
  if (scope === 'run' && approval.request.risk === 'critical') {
    throw invalid('scope "run" is not valid for a critical call: each one needs its own decision');
  }
  if (approval.request.tool === approveCallsTool && (isModified || scope === 'run')) {
    throw invalid('A set of calls is approved or denied as it is, once: each further set needs its own decision');
  }
  if (isInput && (isModified || scope === 'run')) {
    throw invalid('A request for input is answered ("approved") or declined ("denied"), once');
  }
  if (content !== undefined && (!isInput || decision !== 'approved')) {
    throw invalid('"content" is only valid with "approved", for a request for input');
  }
  if (content !== undefined && !isObject(content)) throw invalid('"content" must be a JSON object');
  if (isDeep(content)) throw invalid(`"content" is nested more than ${maxDepth} levels deep`);
  return {
    decision: decision as ApprovalDecision,
    approver,
    decidedAt: now,
    ...(isApproval && !isInput ? { scope } : {}),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(isModified ? { modifiedArgs: modifiedArgs as JsonObject } : {}),
    ...(content === undefined ? {} : { content }),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDeep(value: JsonValue | undefined): boolean {
  let level: readonly (JsonValue | undefined)[] = [value];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values<JsonValue>(each) : []));
  }
  return level.length > 0;
}

function invalid(message: string): KernelError {
  return new KernelError('E_REQUEST_INVALID', message);
}
