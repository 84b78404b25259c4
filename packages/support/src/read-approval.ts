import type { ApprovalDecision, ApprovalDecisionInput } from '@ravi/kernel';
import { inspectArguments } from './inspect-arguments.ts';
import type { ArgumentProblem, InspectedArguments } from './inspect-arguments.ts';

/** An answer as the runtime goes by it, whatever the handler does to its own object afterwards. */
export interface ReadApproval extends Pick<ApprovalDecisionInput, 'decision' | 'reason' | 'approver'> {
  readonly isForRun: boolean;
  /** Present for `modified`. */
  readonly modified?: InspectedArguments | ArgumentProblem;
}

const decisions: ReadonlySet<unknown> = new Set<ApprovalDecision>(['approved', 'denied', 'skipped', 'modified']);

/** Reads each field of an answer once; `undefined` when it is no decision. */
export function readApproval(answer: unknown, maxArgumentBytes: number): ReadApproval | undefined {
  try {
    const { decision, reason, approver, scope, modifiedArgs } = answer as Partial<
      Record<keyof ApprovalDecisionInput, unknown>
    >;
    if (!decisions.has(decision)) return undefined;
    if (decision === 'modified' && (typeof modifiedArgs !== 'object' || modifiedArgs === null)) return undefined;
    return {
      decision: decision as ApprovalDecision,
      isForRun: scope === 'run',
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(typeof approver === 'string' ? { approver } : {}),
      ...(decision === 'modified' ? { modified: inspectArguments(modifiedArgs, maxArgumentBytes) } : {}),
    };
  } catch {
    return undefined;
  }
}
