import { createAutoApproval } from '@ravi/approval-auto';
import { createCliApproval } from '@ravi/approval-cli';
import type { PluginsConfig } from '@ravi/host';
import type { ApprovalHandler } from '@ravi/kernel';
import { findInstallation } from '@ravi/monolith';
import type { InstallationOptions } from '@ravi/monolith';
import type { Terminal } from './terminal.ts';

/** Who approves: everything, a person at the terminal, or nobody. */
export const approvalModes = ['auto', 'cli', 'deny'] as const;

/** One of {@link approvalModes}. */
export type ApprovalMode = (typeof approvalModes)[number];

const everything = { rules: [{ decision: 'approved' }] } as const;
const nothing = { rules: [] };

/**
 * The plugin that decides inside of this process: the one of the mode, else the configured one, else the terminal, and
 * where nobody sits at it nothing is approved.
 */
export async function embeddedApprovals(
  where: InstallationOptions,
  mode: ApprovalMode | undefined,
  terminal: Terminal,
): Promise<PluginsConfig> {
  warnOfEverything(mode, terminal);
  if (mode === 'auto') return { approvalHandler: { use: '@ravi/approval-auto', ...everything } };
  if (mode === 'deny') return { approvalHandler: { use: '@ravi/approval-auto', ...nothing } };
  if (mode === 'cli') return { approvalHandler: { use: '@ravi/approval-cli' } };
  const { config } = await findInstallation({ ...where, isServer: true });
  if (config.plugins.approvalHandler !== undefined) return {};
  return embeddedApprovals(where, terminal.isInteractive ? 'cli' : 'deny', terminal);
}

/** What decides the questions of a run on a server: as the mode says, else the terminal; `undefined` leaves them to others. */
export function remoteApprovals(mode: ApprovalMode | undefined, terminal: Terminal): ApprovalHandler | undefined {
  warnOfEverything(mode, terminal);
  if (mode === 'auto') return createAutoApproval(everything);
  if (mode === 'deny') return createAutoApproval(nothing);
  return mode === 'cli' || terminal.isInteractive ? createCliApproval() : undefined;
}

function warnOfEverything(mode: ApprovalMode | undefined, { warn }: Terminal): void {
  if (mode === 'auto') warn('warning: --approve auto approves every call of every risk, nobody is asked');
}
