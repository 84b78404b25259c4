import { Agent, Runner, tool as defineTool, Usage } from '@openai/agents';
import type { Model, ModelResponse } from '@openai/agents';
import { z } from 'zod';
import { callId, range, toolDescription } from '../script.ts';
import type { LoopRunner, LoopScript, LoopTool } from '../script.ts';

/** `Runner` of the OpenAI Agents SDK, without its tracing. */
export function createOpenAiAgentsRunner(tool: LoopTool): LoopRunner {
  const echo = defineTool({
    name: 'echo',
    description: toolDescription,
    parameters: z.object({ value: z.number().int() }).strict(),
    execute: ({ value }) => tool(value),
  });
  const runner = new Runner({ tracingDisabled: true });
  return async (script) => {
    const agent = new Agent({ name: 'bench', instructions: 'go', model: scripted(script), tools: [echo] });
    await runner.run(agent, 'go', { maxTurns: script.steps + 1 });
  };
}

function scripted({ steps, callsPerStep }: LoopScript): Model {
  let step = 0;
  return {
    async getResponse(): Promise<ModelResponse> {
      if (step === steps) {
        const content = [{ type: 'output_text' as const, text: 'done' }];
        return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
      }
      const output = range(callsPerStep).map((value) => ({
        type: 'function_call' as const,
        callId: callId(step, value),
        name: 'echo',
        status: 'completed' as const,
        arguments: JSON.stringify({ value }),
      }));
      step++;
      return { usage: new Usage(), output };
    },
    getStreamedResponse() {
      throw new TypeError('The benchmark does not stream');
    },
  };
}
