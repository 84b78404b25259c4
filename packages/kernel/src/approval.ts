export type { ApprovalFeed, ApprovalSubscription } from './approval/approval-store.ts';
export type {
  Approval,
  ApprovalBinding,
  ApprovalChange,
  ApprovalChangeQuery,
  ApprovalFilter,
  ApprovalStatus,
  ApprovalStore,
  ApprovalTransition,
  RecordedDecision,
} from './approval/approval-store.ts';
export type { ApprovalDecision, ApprovalDecisionInput, ApprovalHandler, ApprovalRequest } from './approval/approval.ts';
