import type { PluginsConfig } from '@ravi/host';

/** Who approves: everything, a person at the terminal, or nobody. */
export const approvalModes = ['auto', 'cli', 'deny'] as const;

/** One of {@link approvalModes}. */
export type ApprovalMode = (typeof approvalModes)[number];

/** The plugin that a mode puts in place of the configured one; none when the configuration decides. */
export function approvalPlugin(mode: ApprovalMode | undefined): PluginsConfig {
  switch (mode) {
    case undefined:
      return {};
    case 'auto':
      return { approvalHandler: { use: '@ravi/approval-auto', rules: [{ decision: 'approved' }] } };
    case 'cli':
      return { approvalHandler: { use: '@ravi/approval-cli' } };
    case 'deny':
      return { approvalHandler: { use: '@ravi/approval-auto', rules: [] } };
  }
}
