import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createCliApproval } from './cli-approval.ts';

export { createCliApproval } from './cli-approval.ts';
export type { CliApprovalOptions } from './cli-approval.ts';
export type { TerminalInput, TerminalOutput } from './terminal.ts';

const plugin: Plugin<'approvalHandler', Readonly<Record<string, never>>> = definePlugin({
  name: 'approval-cli',
  port: 'approvalHandler',
  configSchema: { type: 'object', additionalProperties: false, properties: {} },
  create: () => createCliApproval(),
});

export default plugin;
