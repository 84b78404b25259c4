import { createAutoApproval } from '@ravi/approval-auto';
import type { AutoApprovalOptions } from '@ravi/approval-auto';
import { createCliApproval } from '@ravi/approval-cli';
import type { ApprovalHandler } from '@ravi/kernel';
import type { Terminal } from './terminal.ts';

/** Who approves: everything, a person at the terminal, or nobody. */
export const approvalModes = ['auto', 'cli', 'deny'] as const;

/** One of {@link approvalModes}. */
export type ApprovalMode = (typeof approvalModes)[number];

/** Rules of `@ravi/approval-auto` that approve every call. */
export const everything: AutoApprovalOptions = { rules: [{ decision: 'approved' }] };

/** Rules that approve none. */
export const nothing: AutoApprovalOptions = { rules: [] };

/** What decides the questions of a run on a server: as the mode says, else the terminal; `undefined` leaves them to others. */
export function remoteApprovals(mode: ApprovalMode | undefined, terminal: Terminal): ApprovalHandler | undefined {
  warnOfEverything(mode, terminal);
  if (mode === 'auto') return createAutoApproval(everything);
  if (mode === 'deny') return createAutoApproval(nothing);
  return mode === 'cli' || terminal.isInteractive ? createCliApproval() : undefined;
}

/** Says what `--approve auto` means. */
export function warnOfEverything(mode: ApprovalMode | undefined, { warn }: Terminal): void {
  if (mode === 'auto') warn('warning: --approve auto approves every call of every risk, nobody is asked');
}
