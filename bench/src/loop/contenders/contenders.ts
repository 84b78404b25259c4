import type { LoopRunner, LoopTool } from '../script.ts';

/** Loops that run the scripts; each is loaded in its own process. */
export const loopContenders: Readonly<Record<string, () => Promise<(tool: LoopTool) => LoopRunner>>> = {
  Ravi: async () => (await import('./ravi.ts')).createRaviRunner,
  'bare loop': async () => (await import('./bare.ts')).createBareRunner,
  'ai generateText': async () => (await import('./ai.ts')).createAiRunner,
  'TanStack AI': async () => (await import('./tanstack.ts')).createTanstackRunner,
  '@openai/agents': async () => (await import('./openai-agents.ts')).createOpenAiAgentsRunner,
  Mastra: async () => (await import('./mastra.ts')).createMastraRunner,
};
