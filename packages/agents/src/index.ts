export { conversationIdOf } from './conversation/conversation.ts';
export { joinMessages } from './conversation/join-messages.ts';
export { isLoopTool } from './define-agent.ts';
export { busySession, findLiveRun } from './loop/busy-session.ts';
export type { SessionPlace } from './loop/busy-session.ts';
export { keepProcess } from './process/keep-process.ts';
export type { KeepProcessOptions } from './process/keep-process.ts';
export type { HoldOptions, KeptLease, KeptProcess, ProcessDescription } from './process/kept-process.ts';
export { ReActAgent } from './react-agent.ts';
export type { RecoverOptions } from './react-agent.ts';
export type { Agent, AgentContext, AgentTask, SpawnOptions } from './agent/agent-context.ts';
export type { AgentEvent } from './agent/agent-event.ts';
export type {
  AgentOptions,
  AgentOutput,
  ApprovalMode,
  CompactionLimits,
  InvokerParts,
  RequestDefaults,
  ResumeOptions,
  RunOptions,
  StopCondition,
  ToolBudget,
} from './agent/agent-options.ts';
export type { AgentEnding, AgentEndReason, AgentResult } from './agent/agent-result.ts';
export type { AgentStream } from './loop/agent-stream.ts';
export type { BudgetLimits, BudgetSpent } from './agent/budget.ts';
export type { BudgetRecord } from './agent/run-snapshot.ts';
export { createCompaction } from './extensions/compaction.ts';
export type { CompactionOptions } from './extensions/compaction.ts';
export { createFailover } from './extensions/failover.ts';
export type { FailoverOptions } from './extensions/failover.ts';
export { createGuardrail } from './extensions/guardrail.ts';
export type { GuardrailOptions } from './extensions/guardrail.ts';
export type { GuardrailCheck, HistoryView } from '@ravi/kernel';
export type { AgentMiddleware } from './agent/middleware.ts';
export type { Permissions } from './agent/run-snapshot.ts';
export { costOf } from './agent/usage.ts';
export type { ModelPrice, PriceTable } from './agent/usage.ts';
export { whenCalled } from './agent/agent-options.ts';
export { defineStatefulTool } from './stateful/stateful-tool.ts';
export type { StatefulToolDefinition } from './stateful/stateful-tool.ts';
export { adviceOn, offerTool } from './tools/tool-run.ts';
export { ToolGuides } from './skills/tool-guides.ts';
export type { KitState } from './skills/tool-guides.ts';
export { infoTool } from './tools/info-tool.ts';
export {
  askClarificationTool,
  askToolNames,
  askUserTool,
  createAskTool,
  missingQuestionTools,
} from './tools/question-tools.ts';
export type { PausedRun, PausedSession, RecoveryStores, QuestionAnswer, ResumePoint } from './agent/paused-run.ts';
export { missingJobTools } from './tools/job-tools.ts';
export { createAgentTool } from './tools/agent-tool.ts';
export type { AgentToolOptions } from './tools/agent-tool.ts';
export { createSharedBudgets } from './budgets/shared-budgets.ts';
export type { SharedBudgets, SharedBudgetsOptions } from './budgets/shared-budgets.ts';
export { claimsOf, limitField, limitsOf } from './budgets/shared-limits.ts';
export type { DailyLimits, SharedLimits } from './budgets/shared-limits.ts';
export { createJudge, verdictOutput } from './extensions/judge.ts';
export type { JudgeOptions } from './extensions/judge.ts';
export { Supervision } from './supervision/supervision.ts';
export type { SupervisionOptions } from './supervision/supervision.ts';
