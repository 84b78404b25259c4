export { createApprovalDesk } from './approval-desk.ts';
export type {
  ApprovalDesk,
  ApprovalDetails,
  ApprovalList,
  ApprovalServices,
  DecisionResult,
  OpenedArtifact,
} from './approval-desk.ts';
export { createApprovalFeed } from './approval-feed.ts';
export type { ApprovalFeedOptions } from './approval-feed.ts';
export type { ApprovalView, ChangeView, DecisionView } from './approval-views.ts';
export type { Approver, DecisionRules } from './approver.ts';
export { createCompletionDesk } from './completion-desk.ts';
export type {
  CompletionDesk,
  CompletionOutcome,
  CompletionServices,
  DeliveryResult,
  TokenStatus,
} from './completion-desk.ts';
export { displayArguments, shownJson } from './display/display-arguments.ts';
export type { ArgumentsDisplay, DisplayRow } from './display/display-arguments.ts';
export { markText } from './display/mark-text.ts';
export type { DisplayMark, DisplaySegment } from './display/mark-text.ts';
export { createApprovalEventStreams } from './event-streams.ts';
export type { ApprovalEventStreams, EventStreamLimits, EventStreamRequest } from './event-streams.ts';
export { createStoredApprovals } from './stored-approvals.ts';
export type { StoredApprovalsOptions } from './stored-approvals.ts';
