import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';
import { callId, range, toolDescription } from '../script.ts';
import type { LoopRunner, LoopScript, LoopTool } from '../script.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** `Agent.generate` of Mastra. */
export function createMastraRunner(tool: LoopTool): LoopRunner {
  const echo = createTool({
    id: 'echo',
    description: toolDescription,
    inputSchema: z.object({ value: z.number().int() }).strict(),
    execute: ({ value }) => tool(value),
  });
  return async (script) => {
    // Mastra has types of its own for models.
    const model = scripted(script) as unknown as MastraModelConfig;
    const agent = new Agent({ id: 'bench', name: 'bench', instructions: 'go', model, tools: { echo } });
    const { error } = await agent.generate('go', { maxSteps: script.steps + 1 });
    if (error !== undefined) throw error;
  };
}

function scripted({ steps, callsPerStep }: LoopScript): MockLanguageModelV3 {
  let step = 0;
  return new MockLanguageModelV3({
    async doGenerate() {
      if (step === steps) {
        const content = [{ type: 'text' as const, text: 'done' }];
        return { content, finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };
      }
      const content = range(callsPerStep).map((value) => ({
        type: 'tool-call' as const,
        toolCallId: callId(step, value),
        toolName: 'echo',
        input: JSON.stringify({ value }),
      }));
      step++;
      return { content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] };
    },
  });
}
