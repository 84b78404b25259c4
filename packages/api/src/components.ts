import { approvalChangeSchema, approvalEventSchema, approvalSchema } from './approvals.ts';
import { artifactSchema } from './artifacts.ts';
import { budgetSchema } from './budgets.ts';
import { callSchema, invocationResultSchema } from './calls.ts';
import { chainErrorSchema, chainResultSchema, checkReportSchema, policySchema } from './chains.ts';
import { conversationSchema, historyEntrySchema } from './conversations.ts';
import { jobSchema } from './jobs.ts';
import { callerIdentitySchema } from './login.ts';
import { exchangeSchema, messageSchema, usageSchema } from './models.ts';
import { problemSchema } from './problem.ts';
import { questionSchema, recordedEventSchema } from './run-events.ts';
import { runDetailsSchema, runSchema } from './runs.ts';
import type { Schema } from './schema.ts';
import { settingsSchema } from './server.ts';
import { skillSchema } from './skills.ts';
import { snippetDetailsSchema, snippetSummarySchema } from './snippets.ts';
import { toolDetailsSchema, toolSchema } from './tools.ts';
import { triggerDetailsSchema, triggerSchema } from './triggers.ts';

/** Schemas that the OpenAPI document refers to by name. */
export const components: Readonly<Record<string, Schema<unknown>>> = {
  Problem: problemSchema,
  Run: runSchema,
  RunDetails: runDetailsSchema,
  RunEvent: recordedEventSchema,
  Call: callSchema,
  Question: questionSchema,
  Exchange: exchangeSchema,
  Message: messageSchema,
  Usage: usageSchema,
  ChainResult: chainResultSchema,
  ChainError: chainErrorSchema,
  CheckReport: checkReportSchema,
  Policy: policySchema,
  InvocationResult: invocationResultSchema,
  Tool: toolSchema,
  ToolDetails: toolDetailsSchema,
  Skill: skillSchema,
  Snippet: snippetSummarySchema,
  SnippetDetails: snippetDetailsSchema,
  Approval: approvalSchema,
  ApprovalChange: approvalChangeSchema,
  ApprovalEvent: approvalEventSchema,
  Artifact: artifactSchema,
  Job: jobSchema,
  Trigger: triggerSchema,
  TriggerDetails: triggerDetailsSchema,
  Session: conversationSchema,
  HistoryEntry: historyEntrySchema,
  Budget: budgetSchema,
  Settings: settingsSchema,
  Caller: callerIdentitySchema,
};
