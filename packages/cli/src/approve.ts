import { createAutoApproval } from '@ravi/approval-auto';
import type { AutoApprovalOptions } from '@ravi/approval-auto';
import { createCliApproval } from '@ravi/approval-cli';
import type { ApprovalHandler } from '@ravi/kernel';
import type { Terminal } from './terminal.ts';

/** Modes of `--approve`: approve every call, ask at the terminal, or deny every call. */
export const approvalModes = ['auto', 'cli', 'deny'] as const;

/** One of {@link approvalModes}. */
export type ApprovalMode = (typeof approvalModes)[number];

/** Rules of `@ravi/approval-auto` that approve every call. */
export const everything: AutoApprovalOptions = { rules: [{ decision: 'approved' }] };

/** Rules that approve no call. */
export const nothing: AutoApprovalOptions = { rules: [] };

/**
 * Returns the handler that decides the approvals of a run on a server: the one of the mode, else the terminal.
 * `undefined` leaves them to other approvers.
 */
export function remoteApprovals(mode: ApprovalMode | undefined, terminal: Terminal): ApprovalHandler | undefined {
  warnOfEverything(mode, terminal);
  if (mode === 'auto') return createAutoApproval(everything);
  if (mode === 'deny') return createAutoApproval(nothing);
  return mode === 'cli' || terminal.isInteractive ? createCliApproval() : undefined;
}

/** Warns about `--approve auto`. */
export function warnOfEverything(mode: ApprovalMode | undefined, { warn }: Terminal): void {
  if (mode === 'auto') warn('warning: --approve auto approves every call of every risk without asking');
}
