export { answerTo, isApprovalQuestion } from './approval-question.ts';
export type {
  ActionDecision,
  ApprovalAnswer,
  ApprovalQuestion,
  Choice,
  DecisionType,
  RaviActionRequest,
} from './approval-question.ts';
export { createLangChainTools } from './langchain-tools.ts';
export type { LangChainToolsOptions, ToolOutputArtifact } from './langchain-tools.ts';
export { turnOf } from './run-of.ts';
export type { CallConfig } from './run-of.ts';
