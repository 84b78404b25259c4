import { generateText, isStepCount, tool as defineTool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { callId, range, toolDescription } from '../script.ts';
import type { LoopRunner, LoopScript, LoopTool } from '../script.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** `generateText` of the AI SDK. */
export function createAiRunner(tool: LoopTool): LoopRunner {
  const echo = defineTool({
    description: toolDescription,
    inputSchema: z.object({ value: z.number().int() }).strict(),
    execute: ({ value }) => tool(value),
  });
  return async (script) => {
    await generateText({
      model: scripted(script),
      prompt: 'go',
      tools: { echo },
      stopWhen: isStepCount(script.steps + 1),
    });
  };
}

function scripted({ steps, callsPerStep }: LoopScript): MockLanguageModelV4 {
  let step = 0;
  return new MockLanguageModelV4({
    async doGenerate() {
      if (step === steps) {
        return {
          content: [{ type: 'text', text: 'done' }],
          finishReason: { unified: 'stop', raw: 'stop' },
          usage,
          warnings: [],
        };
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
