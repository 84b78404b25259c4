import { operations } from '@ravi/api';
import type { MissingPart } from '@ravi/api';
import { isWebApprovalHandler } from '@ravi/approval-web';
import { problem } from '../core/problem.ts';
import type { Endpoint } from '../core/implement.ts';
import type { Parts } from '../../tokens.ts';

const runs: MissingPart = {
  part: 'runs',
  reason:
    'Runs, conversations, jobs, budgets, artifacts, channels, memories and saved scripts need a state store: configure plugins.stateStore.',
  guide: 'docs/concepts/durable-chains.md',
};

const guide = 'docs/concepts/approval.md';

/** Returns the parts of the server that its configuration leaves out or replaces. */
export function missingPartsOf(
  parts: Pick<Parts, 'config' | 'durable' | 'callerApprovals' | 'approvalHandler'>,
): readonly MissingPart[] {
  const { config, durable, callerApprovals, approvalHandler } = parts;
  const missing = durable === undefined ? [runs] : [];
  if (callerApprovals !== undefined) return missing;
  if (approvalHandler === undefined) {
    const reason = 'Approvals in the inbox need a state store: configure plugins.stateStore.';
    return [...missing, { part: 'approvals', reason, guide }];
  }
  const handler = config.plugins.approvalHandler?.use ?? 'An approval handler';
  if (isWebApprovalHandler(approvalHandler)) {
    const reason = `${handler} (plugins.approvalHandler) has a page of its own, at /approvals, to decide approvals.`;
    return [...missing, { part: 'approvals', reason, guide, page: '/approvals' }];
  }
  const reason = `${handler} (plugins.approvalHandler) decides approvals. Remove it to decide them in the inbox.`;
  return [...missing, { part: 'approvals', reason, guide }];
}

/** Returns an endpoint for each operation that is not served; it refuses every request and names the missing part. */
export function refusingEndpoints(served: readonly Endpoint[], missing: readonly MissingPart[]): readonly Endpoint[] {
  const known = new Set(served.map(({ operation }) => operation));
  return operations.flatMap(({ id, operation }) => {
    const name = id.startsWith('approvals.') ? 'approvals' : 'runs';
    const part = missing.find((each) => each.part === name);
    // The handler with its own page serves these paths.
    if (known.has(operation) || part === undefined || part.page !== undefined) return [];
    return [{ operation, handle: () => undefined, refusal: problem('E_NOT_CONFIGURED', part.reason) }];
  });
}
