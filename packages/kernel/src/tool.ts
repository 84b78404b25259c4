export { textBlock, textOf } from './tool/content.ts';
export type {
  ContentBlock,
  DataBlock,
  ErrorBlock,
  InvalidArguments,
  MediaBlock,
  MediaSource,
  OpaqueData,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from './tool/content.ts';
export { defineTool } from './tool/define-tool.ts';
export type { ArgumentsOf } from './tool/arguments-of.ts';
export type { ToolDefinition, ToolOutput } from './tool/define-tool.ts';
export { compareRisk, isToolRisk } from './tool/risk.ts';
export type { ToolRisk } from './tool/risk.ts';
export type { Kit, KitNeed, Skill, ToolExample, ToolSkill } from './tool/skill.ts';
export { isStandardSchema, jsonSchemaOf } from './tool/standard-schema.ts';
export type { StandardResult, StandardSchema } from './tool/standard-schema.ts';
export type {
  FixedToolSource,
  OpenToolSource,
  OpenToolSourceOptions,
  RemoteToolSource,
  ToolSource,
  ToolSourceContent,
  CompleteSignInOptions,
  ToolSourceSignIn,
  ToolSourceStatus,
} from './tool/tool-source.ts';
export { defineToolSource } from './tool/tool-source.ts';
export type { ElicitationRequest, ElicitationResult } from './tool/elicitation.ts';
export { isToolSearch, specOf } from './tool/tool-spec.ts';
export type { FunctionSpec, ProviderSpec, ToolSpec } from './tool/tool-spec.ts';
export {
  canReconcile,
  isCallableFromChain,
  isHostedTool,
  isLocalTool,
  isProviderDefinedTool,
  foreignTool,
  notCallableFromChain,
  staticRisk,
  maxToolDescriptionCharacters,
  toolNamePattern,
  toolsInside,
  toolsInsideOf,
  originOf,
  toolOrigin,
} from './tool/tool.ts';
export type {
  AnyTool,
  ArtifactStream,
  Completion,
  HostedTool,
  ProgressUpdate,
  ProviderCall,
  ProviderDefinedTool,
  RiskAssessment,
  Scratchpad,
  Tool,
  ToolCaller,
  ToolConcurrency,
  ToolContext,
  ToolExecutionResult,
  ToolOrigin,
  AddToolOptions,
  ToolRegistry,
  ToolRetry,
  ReconcileAnswer,
  CheckContext,
  ReconcileContext,
} from './tool/tool.ts';
export type {
  ToolChannels,
  ToolFiles,
  ToolJob,
  ToolJobs,
  ToolModelAnswer,
  ToolModelRequest,
  ToolRun,
} from './tool/tool-run.ts';
