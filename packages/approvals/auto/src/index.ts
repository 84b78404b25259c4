import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createAutoApproval } from './auto-approval.ts';
import type { AutoApprovalOptions } from './auto-approval.ts';

export { createAutoApproval } from './auto-approval.ts';
export type { AutoApprovalOptions, AutoApprovalRule } from './auto-approval.ts';

const plugin: Plugin<'approvalHandler', AutoApprovalOptions> = definePlugin({
  name: 'approval-auto',
  port: 'approvalHandler',
  configSchema: {
    type: 'object',
    required: ['rules'],
    additionalProperties: false,
    properties: {
      rules: {
        type: 'array',
        description: 'The first rule that matches decides; a call that no rule matches is denied.',
        items: {
          type: 'object',
          required: ['decision'],
          additionalProperties: false,
          properties: {
            tool: { type: 'string', minLength: 1, description: 'Name of the tool; * matches any characters.' },
            risk: { enum: ['safe', 'high', 'critical'] },
            decision: { enum: ['approved', 'denied', 'skipped'] },
            reason: { type: 'string', minLength: 1, description: 'Shown to the model.' },
          },
        },
      },
    },
  },
  create: createAutoApproval,
});

export default plugin;
