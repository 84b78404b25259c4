import { aiSdk } from './contenders/ai-sdk.ts';
import { claudeAgentSdk } from './contenders/claude-agent-sdk.ts';
import { langChain } from './contenders/langchain.ts';
import { mastra } from './contenders/mastra.ts';
import { openAiAgents } from './contenders/openai-agents.ts';
import type { Contender } from './contender.ts';

export { modes } from './contender.ts';
export type { Contender, Evidence, Mode, NotOffered, Probe } from './contender.ts';
export { createGatedTool } from './gated-tool.ts';
export type { GatedTool, RecordId } from './gated-tool.ts';
export { measure } from './measure.ts';
export type { Measurement, Outcome } from './measure.ts';
export { pageOf } from './page.ts';
export type { MeasuredContender } from './page.ts';

/** Frameworks in the order of the page. */
export const contenders: readonly Contender[] = [aiSdk, openAiAgents, langChain, mastra, claudeAgentSdk];
