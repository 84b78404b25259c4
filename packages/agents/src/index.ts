export { createApprovalFeed } from './durable/approval-feed.ts';
export type { ApprovalFeed, ApprovalFeedOptions } from './durable/approval-feed.ts';
export { keepLease } from './recovery/keep-lease.ts';
export type { KeptLease } from './recovery/keep-lease.ts';
export type { LeaseOptions } from './recovery/keep-lease.ts';
export { createRecordedApprovals } from './durable/recorded-approvals.ts';
export type { RecordedApprovalsOptions } from './durable/recorded-approvals.ts';
export { ReActAgent } from './loop/react-agent.ts';
export type { RecoverOptions } from './loop/react-agent.ts';
export type { Agent, AgentContext, AgentTask, SpawnOptions } from './loop/agent-context.ts';
export type { AgentEvent } from './loop/agent-event.ts';
export type {
  AgentOptions,
  AgentOutput,
  HistoryView,
  InvokerParts,
  RequestDefaults,
  ResumeOptions,
  RunLeasing,
  RunOptions,
  StopCondition,
} from './loop/agent-options.ts';
export type { AgentEnding, AgentEndReason, AgentResult } from './loop/agent-result.ts';
export type { AgentStream } from './loop/agent-stream.ts';
export type { BudgetLimits, BudgetSpent } from './loop/budget.ts';
export type { BudgetRecord } from './loop/run-snapshot.ts';
export { createCompaction } from './extensions/compaction.ts';
export type { CompactionOptions } from './extensions/compaction.ts';
export { createFailover } from './extensions/failover.ts';
export type { FailoverOptions } from './extensions/failover.ts';
export { createGuardrail } from './extensions/guardrail.ts';
export type { GuardrailCheck, GuardrailOptions } from './extensions/guardrail.ts';
export type { AgentMiddleware } from './loop/middleware.ts';
export type { Permissions } from './loop/run-snapshot.ts';
export { costOf } from './loop/usage.ts';
export type { ModelPrice, PriceTable } from './loop/usage.ts';
export { whenCalled } from './loop/agent-options.ts';
export { defineStatefulTool } from './stateful/stateful-tool.ts';
export type { StatefulToolDefinition } from './stateful/stateful-tool.ts';
export { infoTool } from './prompt/info-tool.ts';
export { askClarificationTool, askUserTool, createAskTool } from './questions/ask-tools.ts';
export type { PausedRun, PausedSession, Question, QuestionAnswer, ResumePoint } from './questions/paused-run.ts';
export { createAgentTool } from './supervision/agent-tool.ts';
export type { AgentToolOptions } from './supervision/agent-tool.ts';
export { Supervision } from './supervision/supervision.ts';
export type { SupervisionOptions } from './supervision/supervision.ts';
