import { KernelError, definePlugin, requireStateStoreParts } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { configSchema } from './config-schema.ts';
import type { WebApprovalConfig } from './options.ts';
import { createWebApprovalHandler } from './web-approval-handler.ts';

export type { ApproverRole, ApproverToken, WebApprovalConfig, WebApprovalOptions } from './options.ts';
export { createWebApprovalHandler, isWebApprovalHandler } from './web-approval-handler.ts';
export type { ClientInfo, WebApprovalHandler } from './web-approval-handler.ts';

const plugin: Plugin<'approvalHandler', WebApprovalConfig> = definePlugin({
  name: 'approval-web',
  port: 'approvalHandler',
  configSchema,
  create(options, { stateStore, clock, logger }) {
    if (stateStore === undefined) {
      throw new KernelError(
        'E_CONFIG_INVALID',
        'it keeps its requests in the state store: configure plugins.stateStore',
      );
    }
    return createWebApprovalHandler({
      ...options,
      store: requireStateStoreParts(stateStore, ['approvals']).approvals,
      clock,
      logger,
    });
  },
});

export default plugin;
