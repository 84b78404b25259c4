export { api, operations } from './operations.ts';
export type { NamedOperation } from './operations.ts';
export { pathParameters } from './operation.ts';
export type {
  ApiResponse,
  BodyOf,
  EmptyResponse,
  EventOf,
  JsonOf,
  JsonResponse,
  Operation,
  ParamsOf,
  QueryOf,
  RawResponse,
  Role,
  StreamEvent,
} from './operation.ts';
export { openApiDocument } from './openapi.ts';
export { problemStatus } from './problem.ts';
export type { Problem, ProblemCode } from './problem.ts';
export type { ObjectSchema, Schema, ValueOf } from './schema.ts';
export type { Page } from './page.ts';
export type { Artifact } from './artifacts.ts';
export type { ApprovalChangeView, ApprovalEvent, ApprovalList, ApprovalView } from './approvals.ts';
export type { Budget } from './budgets.ts';
export type { Call } from './calls.ts';
export type { ChainResult, CheckReport } from './chains.ts';
export type { Conversation } from './conversations.ts';
export type { CallerIdentity } from './login.ts';
export type { Exchange } from './models.ts';
export type { Queue } from './queue.ts';
export { eventIdPattern, provisionalTypes } from './run-events.ts';
export type { RecordableEvent, RecordedEvent, RecordedEventData, RecordedEventType } from './run-events.ts';
export type { RunDetails } from './runs.ts';
export type { AdapterHealth, MissingPart, ReloadResult, Settings } from './server.ts';
export type { AgentSummary } from './agents.ts';
export type { SkillList, SkillSummary } from './skills.ts';
export type { DefinitionChange, HeldDefinition, SourceSummary } from './sources.ts';
export type { WorkspaceSummary } from './workspaces.ts';
export type { SnippetDetails, SnippetSummary } from './snippets.ts';
export type { ToolDetails, ToolMetrics, ToolSummary } from './tools.ts';
export type { TriggerDetails, TriggerTimesBody } from './triggers.ts';
