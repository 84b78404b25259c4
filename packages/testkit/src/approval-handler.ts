export { approvalHandlerContract } from './approval-handler/approval-handler-contract.ts';
export type { ApproverBehavior, ApprovalHandlerContractOptions } from './approval-handler/approval-handler-contract.ts';
