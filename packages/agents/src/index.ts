export { createApprovalFeed } from './durable/approval-feed.ts';
export type { ApprovalFeed, ApprovalFeedOptions } from './durable/approval-feed.ts';
export { keepLease } from './durable/keep-lease.ts';
export type { KeptLease, LeaseOptions } from './durable/keep-lease.ts';
export { createRecordedApprovals } from './durable/recorded-approvals.ts';
export type { RecordedApprovalsOptions } from './durable/recorded-approvals.ts';
export { ReActAgent } from './loop/react-agent.ts';
export type { AgentTask, PausedSession, RecoverOptions, ResumeOptions, ResumePoint } from './loop/react-agent.ts';
export type { AgentContext, SpawnOptions } from './loop/agent-context.ts';
export type { AgentEvent } from './loop/agent-event.ts';
export type {
  AgentOptions,
  AgentOutput,
  InvokerParts,
  RequestDefaults,
  RunLeasing,
  RunOptions,
  StopCondition,
} from './loop/agent-options.ts';
export type { AgentEnding, AgentEndReason, AgentResult } from './loop/agent-result.ts';
export type { AgentStream } from './loop/agent-stream.ts';
export type { BudgetLimits, BudgetSpent } from './loop/budget.ts';
export type { BudgetRecord } from './loop/budget-record.ts';
export { createCompaction } from './loop/compaction.ts';
export type { CompactionOptions, HistoryView } from './loop/compaction.ts';
export { createFailover } from './loop/failover.ts';
export type { FailoverOptions } from './loop/failover.ts';
export { createGuardrail } from './loop/guardrail.ts';
export type { GuardrailCheck, GuardrailOptions } from './loop/guardrail.ts';
export type { AgentMiddleware } from './loop/middleware.ts';
export type { Permissions } from './loop/permissions.ts';
export { costOf } from './loop/prices.ts';
export type { ModelPrice, PriceTable } from './loop/prices.ts';
export { whenCalled } from './loop/stop-conditions.ts';
export { defineStatefulTool } from './execution/stateful-tool.ts';
export type { StatefulToolDefinition } from './execution/stateful-tool.ts';
export { infoTool } from './prompt/info-tool.ts';
export { askClarificationTool, askUserTool, createAskTool } from './questions/ask-tools.ts';
export type { PausedRun, Question, QuestionAnswer } from './questions/paused-run.ts';
export { createAgentTool } from './supervision/agent-tool.ts';
export type { AgentToolOptions } from './supervision/agent-tool.ts';
export { Supervision } from './supervision/supervision.ts';
export type { SupervisionOptions } from './supervision/supervision.ts';
