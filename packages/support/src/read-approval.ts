import type { ApprovalDecision, ApprovalDecisionInput } from '@ravi/kernel';
import { inspectArguments } from './inspect-arguments.ts';
import type { ArgumentProblem, InspectedArguments } from './inspect-arguments.ts';

/** Copy of an approval decision, unaffected by later changes of the handler's object. */
export interface ReadApproval extends Pick<ApprovalDecisionInput, 'decision' | 'reason' | 'approver'> {
  readonly isForRun: boolean;
  /** Present for `modified`. */
  readonly modified?: InspectedArguments | ArgumentProblem;
  /** Present if the decision has content: the answer to a form. */
  readonly content?: InspectedArguments | ArgumentProblem;
}

const decisions: ReadonlySet<unknown> = new Set<ApprovalDecision>(['approved', 'denied', 'skipped', 'modified']);

/** Reads each field of an approval decision once; `undefined` if it is not a valid decision. */
export function readApproval(answer: unknown, maxArgumentBytes: number): ReadApproval | undefined {
  try {
    const { decision, reason, approver, scope, modifiedArgs, content } = answer as Partial<
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
      ...(content === undefined ? {} : { content: inspectArguments(content, maxArgumentBytes) }),
    };
  } catch {
    return undefined;
  }
}
